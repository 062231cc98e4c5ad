package verbs

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// skip lowers a rule about a list of which one version cannot have all elements. The rules for the
// elements are in its operation, because they may stash nothing of an element that has another place.
func skip(l *lowering.Lowering, one *syntax.Rule, _ int) []lowering.Phased {
	p, ok := l.Both(one)
	side := l.Side(one)
	if !ok || side < 0 || one.Args["where"] == nil {
		return nil
	}
	if len(p[0]) == 0 || slices.ContainsFunc(p[:], func(p fieldpath.Path) bool { return fieldpath.IsEvery(p.Last()) }) {
		l.Mistakes.At(one.Node, "%s is not a field: a path to a list ends with a name", p[0])
		return nil
	}
	return both(l, one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		every := fieldpath.Path{fieldpath.Elements}
		inner := l.Subrules()
		elements := inner.Nested(one, "each", p, fieldpath.Elements)
		test := inner.Enter([2]fieldpath.Path{p[0].Join(every...), p[1].Join(every...)}).Test(one.Args["where"], "where")
		if test == nil {
			return nil // it was reported
		}
		op := program.Operation{Code: program.OpSkip, Path: p[l.Dir], Args: [10]program.Arg{test, nil, nil, program.Bit(l.Dir != side)}}
		if len(elements) > 0 {
			op.Args[2] = elements[0].Args[0]
		}
		if !l.Unstashable(one) {
			op.Args[1] = l.StashFor(one, p[l.Dir], p[1-l.Dir])
		}
		return append(lowering.Shaping.Of(op), relocate(l, p)...)
	})
}
