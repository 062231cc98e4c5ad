// Package verbs derives the operations of one rule, with a file for verbs that are alike.
package verbs

import (
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
)

// lowered are the verbs. side is 1 if the file has the inverse verb.
var lowered = map[string]func(l *lowering.Lowering, one *syntax.Rule, side int) []lowering.Phased{
	"rename": move, "move": move, "split": split, "splitList": splitList, "listFromMap": listFromMap, "translate": translate, "convert": convert,
	"renameKeys": renameKeys, "skip": skip, "wrap": wrap, "nest": nest, "default": give, "constant": give, "drop": drop, "copy": drop, "each": each,
}

// Lower lowers a rule as its verb says.
func Lower(l *lowering.Lowering, one *syntax.Rule) []lowering.Phased {
	if verb, inverted := vocabulary.Inverted[one.Verb.Name]; inverted {
		return lowered[verb](l, one, 1)
	}
	return lowered[one.Verb.Name](l, one, 0)
}
