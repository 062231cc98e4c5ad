package growth

import "testing"

func TestLimit(t *testing.T) {
	for _, c := range []struct{ input, most, want int }{
		{0, 4 << 20, 1 << 20}, {100, 4 << 20, 1<<20 + 400}, {1 << 20, 4 << 20, 4 << 20}, {1 << 20, 8 << 20, 5 << 20}, {0, 10, 10},
	} {
		if got := Limit(c.input, c.most); got != c.want {
			t.Errorf("Limit(%d, %d) = %d, want %d", c.input, c.most, got, c.want)
		}
	}
}
