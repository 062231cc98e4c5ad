package report

import "testing"

func TestRoom(t *testing.T) {
	for _, test := range []struct {
		size int
		want string
	}{
		{1 << 20, "the .zst fits a ConfigMap with 0 KB to spare"},
		{300 << 10, "the .zst fits a ConfigMap with 724 KB to spare"},
		{1<<20 + 1, "the .zst is 1 KB too large for a ConfigMap: use crosswalk push and crosswalk pull, or an image volume (docs/use/registry.md)"},
	} {
		if got := room(test.size); got != test.want {
			t.Errorf("%d bytes: %q instead of %q", test.size, got, test.want)
		}
	}
}
