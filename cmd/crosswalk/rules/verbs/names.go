package verbs

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// renameKeys lowers a rule that gives the keys of a map other names.
func renameKeys(l *lowering.Lowering, one *syntax.Rule, _ int) []lowering.Phased {
	p, ok := l.Both(one)
	table := readNames(l, one.Args["values"], "values", "[cpu, CPU]", false)
	prefix := l.Bool(one, "prefix", false)
	if !ok || table == nil || !distinctNames(l, one, table, prefix) {
		return nil
	}
	return both(l, one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		op := program.Operation{Code: program.OpRenameKeys, Path: p[l.Dir], Args: [10]program.Arg{table, program.Bit(l.Dir == 1), program.Bit(prefix)}}
		if !l.Unstashable(one) {
			op.Args[3] = l.StashFor(one, p[l.Dir], p[1-l.Dir])
		}
		return append(lowering.Shaping.Of(op), relocate(l, p)...)
	})
}

// distinctNames reports whether a key of each version has one name in the other one.
func distinctNames(l *lowering.Lowering, one *syntax.Rule, table program.Names, prefix bool) bool {
	for i, pair := range table {
		for _, other := range table[:i] {
			for side := range pair {
				a, b := pair[side], other[side]
				if a == b || prefix && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
					l.Mistakes.At(one.Args["values"].Content[i], "%q and %q of %s are about the same keys: each key has one name in the other version", b, a, l.Version(side))
					return false
				}
			}
		}
	}
	return true
}

// readNames reads a list of pairs of texts; nil if it is wrong. empty allows an empty first text.
func readNames(l *lowering.Lowering, n *yaml.Node, name, example string, empty bool) (table program.Names) {
	if n == nil {
		return nil
	}
	items := syntax.Items(n, l.Mistakes, name)
	switch {
	case len(items) > maxPairs:
		l.Mistakes.At(n, "%s has %d pairs of at most %d", name, len(items), maxPairs)
		return nil
	case len(items) == 0 && n.Kind == yaml.SequenceNode:
		l.Mistakes.At(n, "%s is empty", name)
		return nil
	}
	for _, item := range items {
		if item.Kind != yaml.SequenceNode || len(item.Content) != 2 {
			l.Mistakes.At(item, "%s has pairs such as %s", name, example)
			return nil
		}
		var pair [2]string
		for side, text := range item.Content {
			if pair[side] = text.Value; !empty || side > 0 || text.Kind != yaml.ScalarNode || text.Value != "" {
				pair[side] = syntax.Text(text, l.Mistakes, "a text of "+name)
			}
		}
		table = append(table, pair)
	}
	return table
}
