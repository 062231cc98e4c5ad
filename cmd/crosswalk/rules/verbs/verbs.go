// Package verbs derives the operations of one rule, with a file for verbs that are alike.
package verbs

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// Lower lowers a rule as its verb says.
func Lower(l *lowering.Lowering, one *syntax.Rule) []lowering.Phased {
	switch one.Verb.Name {
	case "rename", "move":
		return move(l, one)
	case "split":
		return split(l, one, 0)
	case "join":
		return split(l, one, 1)
	case "splitList":
		return splitList(l, one, 0)
	case "joinList":
		return splitList(l, one, 1)
	case "listFromMap":
		return listFromMap(l, one, 0)
	case "mapFromList":
		return listFromMap(l, one, 1)
	case "translate":
		return translate(l, one)
	case "convert":
		return convert(l, one)
	case "renameKeys":
		return renameKeys(l, one)
	case "skip":
		return skip(l, one)
	case "wrap":
		return wrap(l, one, 0)
	case "unwrap":
		return wrap(l, one, 1)
	case "nest":
		return nest(l, one, 0)
	case "unnest":
		return nest(l, one, 1)
	case "default", "constant":
		return give(l, one)
	case "drop":
		return drop(l, one)
	case "each":
		return each(l, one)
	}
	panic(fmt.Sprintf("the verb %s is in the table only", one.Verb.Name))
}
