package verbs

import (
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

func translate(l *lowering.Lowering, one *syntax.Rule, _ int) []lowering.Phased {
	p, ok := l.Both(one)
	merge := l.Bool(one, "merge", false)
	table := readPairs(l, one, merge)
	if !ok || len(table) == 0 {
		return nil
	}
	args := [10]program.Arg{table, program.Bit(l.Dir == 1)}
	refusing := l.Word(one, "others") == "refuse"
	if refusing {
		var words []string
		for _, pair := range table {
			if v := pair[l.Dir]; v.Kind != program.Absent {
				words = append(words, v.Text)
			}
		}
		args[2] = program.Text("{path} must be " + syntax.Alternatives(words) + ", but is {value}")
	}
	if one.Args["message"] != nil {
		if args[2] = program.Text(l.Text(one, "message")); !refusing {
			l.Mistakes.At(one.Args["message"], "no value is refused: set others: refuse")
		}
	}
	return both(l, one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		args := args
		if !refusing { // a value that stays may be the partner of another one
			args[3] = l.Remember(p[l.Dir], p[1-l.Dir])
		}
		if merge && repeats(table, 1-l.Dir) && !l.Unstashable(one) {
			args[4] = l.StashFor(one, p[l.Dir], p[1-l.Dir])
		}
		return append(lowering.Shaping.Of(program.Operation{Code: program.OpTranslate, Path: p[l.Dir], Args: args}), relocate(l, p)...)
	})
}

// maxPairs bounds a table, which the interpreter reads from its start for each value.
const maxPairs = 1024

// plainNumber writes a small integer in one way, so that 1.0 and 1 are one value of a table.
func plainNumber(v program.Value) program.Value {
	if n, err := strconv.ParseFloat(v.Text, 64); v.Kind == program.Number && err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
		v.Text = strconv.FormatInt(int64(n), 10)
	}
	return v
}

// repeats reports whether a value of a side has several partners.
func repeats(table program.Pairs, side int) bool {
	seen := map[program.Value]bool{}
	return slices.ContainsFunc(table, func(pair [2]program.Value) bool {
		twice := seen[pair[side]]
		seen[pair[side]] = true
		return twice
	})
}

// readPairs reads the table of a translation. Without merge, it reports values that have several
// partners in a direction that the rule is for.
func readPairs(l *lowering.Lowering, one *syntax.Rule, merge bool) (table program.Pairs) {
	if one.Args["values"] == nil {
		return nil
	}
	values := syntax.Items(one.Args["values"], l.Mistakes, "values")
	if len(values) > maxPairs {
		l.Mistakes.At(one.Args["values"], "values has %d pairs of at most %d", len(values), maxPairs)
		return nil
	}
	unique := [2]bool{!merge && l.Leads(one, 0), !merge && l.Leads(one, 1)}
	for _, item := range values {
		if item.Kind != yaml.SequenceNode || len(item.Content) != 2 {
			l.Mistakes.At(item, "values has pairs such as [keep, Retain]")
			return nil
		}
		var pair [2]program.Value
		for side, n := range item.Content {
			if syntax.IsAbsent(n) {
				l.Needs.Uid = true
				continue
			}
			pair[side] = plainNumber(lowering.ReadValue(n, l.Mistakes))
		}
		for _, other := range table {
			for side := range pair {
				if unique[side] && other[side] == pair[side] && other[1-side] != pair[1-side] {
					l.Mistakes.At(item.Content[side], "the pair cannot be inverted: %s in %s is the partner of two values in %s; with merge: true, the first pair counts, and the stash keeps the other value", syntax.NodeText(item.Content[side]), l.Version(side), l.Version(1-side))
				}
			}
		}
		table = append(table, pair)
	}
	if len(table) == 0 && one.Args["values"].Kind == yaml.SequenceNode {
		l.Mistakes.At(one.Args["values"], "values is empty")
	}
	return table
}
