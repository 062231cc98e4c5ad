package propose

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
)

// loses reports whether a finding is a loss, a failure or a wrong answer. An answer that the other
// version's schema rejects can still be read, and comes back equal.
func loses(f *fuzz.Finding) bool { return f.Property != fuzz.Rejected && f.Class != fuzz.ClassHidden }

// cause returns the rule of some kind that a finding is probably about: the one whose path is nearest
// to the finding's, if any is around it or within it. It returns nil if there is none.
func (v *verifier) cause(f *fuzz.Finding, is func(*Rule) bool) (best *Rule) {
	nearest := -1
	for _, pair := range v.p.Pairs {
		for _, r := range pair.All() {
			if !is(r) {
				continue
			}
			for _, path := range r.Paths {
				if common := related(path, f.Path); path != "" && common > nearest {
					best, nearest = r, common
				}
			}
		}
	}
	return best
}

// related returns the length of the shorter path if the other one is within it; -1 otherwise. A
// finding about the object as a whole is related to every rule.
func related(a, b string) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if a == "." {
		return 0
	}
	if fuzz.Within(b, a) {
		return len(a)
	}
	return -1
}

// maxObject is the longest object that a comment shows.
const maxObject = 1000

// shown returns a finding with its object on a second line.
func shown(f *fuzz.Finding) string {
	text := f.Text()
	if f.Object == nil {
		return text
	}
	object := string(f.Object)
	if len(object) > maxObject {
		object = fmt.Sprintf("%.*s… (%d bytes)", maxObject, object, len(object))
	}
	return text + "\nobject: " + object
}

// maxPaths is the number of rejected paths that a comment names.
const maxPaths = 5
