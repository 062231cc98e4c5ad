package lowering

import (
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// group is the operations of one rule, and the paths of the values that it takes and leaves, if
// they have different places.
type group struct {
	rule         *syntax.Rule
	ops          []Phased
	takes, makes []fieldpath.Path
}

// groupOf returns the operations of a rule as a group.
func groupOf(l *Ledger, one *syntax.Rule, ops []Phased, claims []Claim) group {
	g := group{rule: one, ops: ops}
	for _, c := range claims {
		switch p := c.Path[len(l.Prefix[c.Side]):]; {
		case c.Rule != one || c.Phase != Shaping:
		case c.Side == l.Dir:
			g.takes = append(g.takes, p)
		default:
			g.makes = append(g.makes, p)
		}
	}
	return g
}

// waits reports whether a group must wait for another one, which takes a value away from a place
// where this one leaves its own: b becomes c before a becomes b.
func (g group) waits(other group) bool {
	if g.rule == other.rule || g.rule.Args["when"] != nil && other.rule.Args["when"] != nil {
		return false // rules with conditions may be alternatives, about one field
	}
	return slices.ContainsFunc(g.makes, func(p fieldpath.Path) bool {
		return slices.ContainsFunc(other.takes, func(q fieldpath.Path) bool { return p.Within(q) || q.Within(p) })
	})
}

// ordered returns the groups in an order in which each finds its places vacant, otherwise in their
// own. If fields change places, one of them leaves its place first, for a place of its own.
func (l *Lowering) ordered(groups []group) (sorted []group) {
	var last []group
	for rest := groups; len(rest) > 0; {
		i := slices.IndexFunc(rest, func(g group) bool { return !slices.ContainsFunc(rest, g.waits) })
		if i < 0 {
			if i = slices.IndexFunc(rest, group.movable); i < 0 {
				l.Mistakes.At(rest[0].rule.Node, "the rule and the one at line %d change places, which only fields that are renamed or moved can: make two pairs of versions of them", rest[1].rule.Node.Line)
				return groups
			}
			away, arrive := rest[i].apart(len(last))
			sorted, last = append(sorted, away), append(last, arrive)
		} else {
			sorted = append(sorted, rest[i])
		}
		rest = slices.Concat(rest[:i], rest[i+1:])
	}
	return append(sorted, last...)
}

// movable reports whether the group ends with the relocation of one value.
func (g group) movable() bool {
	if len(g.ops) == 0 || len(g.takes) != 1 {
		return false
	}
	op := g.ops[len(g.ops)-1]
	return op.Code == program.OpRename || op.Code == program.OpMove
}

// apart cuts the group in two: one moves the value to a place that no object has, the other one
// moves it from there.
func (g group) apart(n int) (away, arrive group) {
	end := len(g.ops) - 1
	op := g.ops[end]
	between := slices.Clone(op.Path)
	between[len(between)-1] = fmt.Sprintf("\x01%d", n)
	leave, enter := op, op
	leave.Operation = program.Operation{Code: program.OpRename, Condition: op.Condition, Path: op.Path, Args: [10]program.Arg{program.Text(between.Last())}}
	enter.Path, enter.Condition = between, nil // without the first half, there is nothing
	away, arrive = g, g
	away.ops, arrive.ops = append(slices.Clone(g.ops[:end]), leave), []Phased{enter}
	return away, arrive
}
