package rules

import (
	"go.yaml.in/yaml/v3"
)

func (l *lowering) translate(one *rule) []phased {
	p, ok := l.both(one)
	table := l.pairs(one)
	if !ok || len(table) == 0 {
		return nil
	}
	args := [10]arg{table, bit(l.dir == 1)}
	refusing := l.word(one, "others") == "refuse"
	if refusing {
		var words []string
		for _, pair := range table {
			if v := pair[l.dir]; v.kind != absent {
				words = append(words, v.text)
			}
		}
		args[2] = text("{path} must be " + list(words) + ", but is {value}")
	}
	if one.args["message"] != nil {
		if args[2] = text(l.text(one, "message")); !refusing {
			l.r.at(one.args["message"], "no value is refused: set others: refuse")
		}
	}
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		l.claim(one, 0, p[0], shaping)
		l.claim(one, 1, p[1], shaping)
		args := args
		if !refusing { // a value that stays may be the partner of another one
			args[3] = l.remember(p[l.dir], p[1-l.dir])
		}
		return append([]phased{{operation{code: opTranslate, path: p[l.dir], args: args}, shaping}}, l.relocate(p)...)
	})
}

// maxPairs bounds a table, which the interpreter reads from its start for each value.
const maxPairs = 1024

// pairs reads the table of a translation.
func (l *ledger) pairs(one *rule) (table pairs) {
	if one.args["values"] == nil {
		return nil
	}
	values := items(one.args["values"], l.r, "values")
	if len(values) > maxPairs {
		l.r.at(one.args["values"], "values has %d pairs of at most %d", len(values), maxPairs)
		return nil
	}
	for _, item := range values {
		if item.Kind != yaml.SequenceNode || len(item.Content) != 2 {
			l.r.at(item, "values has pairs such as [keep, Retain]")
			return nil
		}
		var pair [2]value
		for side, n := range item.Content {
			if isAbsent(n) {
				l.needs.uid = true
				continue
			}
			pair[side] = l.value(n)
		}
		for _, other := range table {
			for side := range pair {
				if other[side] == pair[side] && other[1-side] != pair[1-side] {
					l.r.at(item.Content[side], "the pair cannot be inverted: %s in %s is the partner of two values in %s", nodeText(item.Content[side]), l.version(side), l.version(1-side))
				}
			}
		}
		table = append(table, pair)
	}
	if len(table) == 0 && one.args["values"].Kind == yaml.SequenceNode {
		l.r.at(one.args["values"], "values is empty")
	}
	return table
}

// isAbsent reports whether a value of a table is a field that is not there.
func isAbsent(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "absent"
}
