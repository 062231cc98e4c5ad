package lowering

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// Pair is the rules between two versions, and facts about them.
type Pair struct {
	*syntax.Pair
	alone  [2][]fieldpath.Path // objects of one side: lowering finds them
	Claims []Claim             // the fields that the rules name, twice: lowering finds them in each direction

	Noted   [2][]fieldpath.Path // empty objects that the conversion from a side remembers
	Cleaned [2][]fieldpath.Path // objects that it deletes if they are empty afterwards
}

// Direction is one direction of a step.
type Direction struct {
	Pair     *Pair
	Claims   []Claim // of the step
	Stashed  []Claim
	From, To string
	Backward bool
}

// Side returns the side that the direction converts from.
func (d Direction) Side() int {
	if d.Backward {
		return 1
	}
	return 0
}

// lead returns the paths of the version that the direction leads to whose values follow from the
// value at a path. It may return more paths than these.
func (d Direction) lead(p fieldpath.Path) (all []fieldpath.Path) {
	covered := false
	for _, c := range d.Claims {
		if c.Side != d.Side() || !p.Within(c.Path) && !c.Path.Within(p) {
			continue
		}
		covered = covered || p.Within(c.Path)
		for _, other := range d.Claims {
			if other.Rule == c.Rule && other.Side != c.Side {
				all = append(all, other.Path)
			}
		}
	}
	if !covered {
		all = append(all, p)
	}
	return all
}

// converts reports whether the field at a path of the direction's version has another path, or
// none, in the other version: the rules declare it there.
func (d Direction) converts(p fieldpath.Path) bool {
	if slices.ContainsFunc(d.Pair.alone[d.Side()], p.Within) {
		return true
	}
	return slices.ContainsFunc(d.Claims, func(c Claim) bool { return c.Side == d.Side() && p.Within(c.Path) })
}
