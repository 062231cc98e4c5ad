package prove

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
)

// path is the names that lead to a value; "[]" is every element of a list, "*" every member of a map.
type path []string

const (
	everyElement = "[]"
	everyMember  = "*"
)

func (p path) String() string {
	return fieldpath.Path(p).String()
}

func (p path) join(more ...string) path { return slices.Concat(p, more) }

func (p path) parent() path { return p[:max(0, len(p)-1)] }

// last returns the last name; "" of the value itself.
func (p path) last() string {
	if len(p) == 0 {
		return ""
	}
	return p[len(p)-1]
}

// common returns the number of names with which both paths begin.
func (p path) common(q path) int {
	n := 0
	for n < len(p) && n < len(q) && p[n] == q[n] {
		n++
	}
	return n
}

// related reports whether one of two values is within the other.
func (p path) related(q path) bool {
	n := p.common(q)
	return n == len(p) || n == len(q)
}

func isEvery(name string) bool { return name == everyElement || name == everyMember }

// isIndex reports whether a name may be that of an element in a pointer.
func isIndex(name string) bool {
	for _, c := range name {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
