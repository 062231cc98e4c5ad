package lowering

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// checkOneWay reports a rule whose direction is wrong.
func (l *Lowering) checkOneWay(one *syntax.Rule) {
	n := one.Args["oneWay"]
	switch to, _ := one.OneWay(l.Mistakes); {
	case n == nil:
	case len(l.Prefix[0]) > 0:
		l.Mistakes.At(n, "oneWay is not for a rule within another one: write a rule of its own, with the path from the object")
	case to != "" && to != l.step.From && to != l.step.To:
		l.Mistakes.At(n, "to is %q, but must be %s or %s, the versions of these rules", to, l.step.From, l.step.To)
	}
}

// against reports whether a rule is for the other direction only.
func (l *Lowering) against(one *syntax.Rule) bool { return !l.Leads(one, l.Dir) }

// Leads reports whether a rule converts from the version of a side.
func (s *Scope) Leads(one *syntax.Rule, side int) bool {
	to, _ := one.OneWay(&syntax.Mistakes{})
	return to == "" || to == s.Version(1-side)
}

// removed returns the operations of a rule that is for the other direction only: its fields, which
// only the version that is converted from has, go. Fields of other rules stay for them.
func (l *Lowering) removed(one *syntax.Rule, claims []Claim) (ops []Phased) {
	for _, c := range claims {
		if c.Rule != one || c.Side != l.Dir || c.Phase != Shaping || slices.ContainsFunc(claims, func(other Claim) bool {
			return other.Rule != one && other.Side == l.Dir && (other.Path.Within(c.Path) || c.Path.Within(other.Path))
		}) {
			continue
		}
		ops = append(ops, l.Elements(one, [2]fieldpath.Path{c.Path, c.Path}, func(_ *Lowering, p [2]fieldpath.Path) []Phased {
			return Stashing.Of(program.Operation{Code: program.OpRemove, Path: p[0]})
		})...)
	}
	return ops
}

// opposite reports whether two rules are for one direction each: the author writes both.
func opposite(one, other *syntax.Rule) bool {
	a, _ := one.OneWay(&syntax.Mistakes{})
	b, _ := other.OneWay(&syntax.Mistakes{})
	return a != "" && b != "" && a != b
}
