package prove

import "slices"

// region is two values, one of each version, of which rules make one from the other: the object as a
// whole, or a value within. The paths of the rules begin there.
type region struct {
	sides  sides      // the schemas of the values
	roots  [2]path    // to the values, from the object
	claims [2]*claims // the fields that rules are about
	inCase bool       // the rule around the values has a condition
	mapped bool       // the values are elements of a list in one version, and members of a map in the other one
}

// here returns where a value is, for messages.
func (g region) here(at path) path { return g.roots[0].Join(at...) }

// top reports whether the values are the objects as wholes.
func (g region) top() bool { return len(g.roots[0]) == 0 }

// metadata are the members of an object that no rule changes, and no schema describes.
var metadata = []string{"apiVersion", "kind", "metadata"}

// isMetadata reports whether a path leads to or into such a member.
func (g region) isMetadata(p path) bool {
	return g.top() && (len(p) == 0 || slices.Contains(metadata, p[0]))
}

// origin returns a value of both versions that has the same path in both, for the stash.
func (g region) origin(line int, at path) origin {
	return origin{line: line, roots: g.roots, at: [2]path{at, at}, inCase: g.inCase, mapped: g.mapped}
}
