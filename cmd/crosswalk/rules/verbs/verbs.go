// Package verbs derives the operations of one rule, with a file for verbs that are alike.
package verbs

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
)

// Lower lowers a rule as its verb says.
func Lower(l *lowering.Lowering, one *syntax.Rule) []lowering.Phased {
	name, side := one.Verb.Name, 0
	if verb, inverted := vocabulary.Inverted[name]; inverted {
		name, side = verb, 1
	}
	switch name {
	case "rename", "move":
		return move(l, one)
	case "split":
		return split(l, one, side)
	case "splitList":
		return splitList(l, one, side)
	case "listFromMap":
		return listFromMap(l, one, side)
	case "translate":
		return translate(l, one)
	case "convert":
		return convert(l, one)
	case "renameKeys":
		return renameKeys(l, one)
	case "skip":
		return skip(l, one)
	case "wrap":
		return wrap(l, one, side)
	case "nest":
		return nest(l, one, side)
	case "default", "constant":
		return give(l, one)
	case "drop", "copy":
		return drop(l, one)
	case "each":
		return each(l, one)
	}
	panic(fmt.Sprintf("the verb %s is in the table only", one.Verb.Name))
}
