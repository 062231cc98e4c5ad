package plural

import "testing"

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n          int
		noun, want string
	}{{0, "file", "0 files"}, {1, "file", "1 file"}, {2, "file", "2 files"}, {1, "copy", "1 copy"}, {3, "copy", "3 copies"}} {
		if got := Count(c.n, c.noun); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
