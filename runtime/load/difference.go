package load

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/difference"
)

// maxPaths is the most differences that a message lists: enough to see a pattern.
const maxPaths = 6

// maxShown is the most bytes that a message shows of the wanted and of the actual value: enough to
// paste a stash or a refusal into the case, and short enough for a log line.
const maxShown = 400

// differenceOf describes where two JSON values differ: the paths of the first few differing leaves,
// and the wanted and actual value of the first, in maxShown bytes each. Both must be strictly
// valid.
func differenceOf(want, got []byte) string {
	var paths strings.Builder
	n := 0
	difference.Each(want, got, func(path string, want, got any) {
		switch n++; {
		case n == 1:
			fmt.Fprintf(&paths, "%s (want %s, got %s)", path, difference.Shown(want, maxShown), difference.Shown(got, maxShown))
		case n <= maxPaths:
			paths.WriteString(", " + path)
		}
	})
	if n > maxPaths {
		fmt.Fprintf(&paths, " and %d more", n-maxPaths)
	}
	return paths.String()
}
