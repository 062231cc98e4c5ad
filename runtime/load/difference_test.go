package load

import (
	"strconv"
	"strings"
	"testing"
)

// TestDifferencesAreListedUpToMaxPaths: a message lists the paths of the first differences, the values
// of the first, and the number of the rest.
func TestDifferencesAreListedUpToMaxPaths(t *testing.T) {
	object := func(fields int) []byte {
		members := make([]string, fields)
		for i := range members {
			members[i] = `"f` + strconv.Itoa(i) + `":1`
		}
		return []byte("{" + strings.Join(members, ",") + "}")
	}
	for fields, want := range map[int]string{
		0:            "",
		1:            "f0 (want 1, got nothing)",
		maxPaths:     "f0 (want 1, got nothing), f1, f2, f3, f4, f5",
		maxPaths + 2: "f0 (want 1, got nothing), f1, f2, f3, f4, f5 and 2 more",
	} {
		if got := differenceOf(object(fields), []byte("{}")); got != want {
			t.Errorf("%d fields: %q, want %q", fields, got, want)
		}
	}
	long := `{"f0":"` + strings.Repeat("x", 2*maxShown) + `"}`
	if got := differenceOf([]byte(long), []byte("{}")); len(got) > maxShown+len("f0 (want , got nothing)…") {
		t.Errorf("a long value takes %d bytes", len(got))
	}
}
