package schema

import (
	"strings"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/definition"
)

// listRules are the rules for arrays.
type listRules struct {
	size   *sizeRules
	unique string // the rule that a repeated element violates; empty if elements may repeat
	byKey  bool   // an element repeats another if its keys do
}

// listRulesOf returns nil if the schema has no such rules.
func listRulesOf(d *definition.Schema) *listRules {
	r := &listRules{size: sizeRulesOf(d.MinItems, d.MaxItems, elements)}
	switch {
	case d.ListType == "set":
		r.unique = "repeats an earlier element, and the list is a set"
	case d.ListType == "map":
		r.unique = "repeats the " + strings.Join(d.ListKeys, ", ") + " of an earlier element, which are the keys of the list"
		r.byKey = true
		if len(d.ListKeys) == 1 {
			r.unique = "repeats the " + d.ListKeys[0] + " of an earlier element, which is the key of the list"
		}
	case d.UniqueItems:
		r.unique = "repeats an earlier element"
	}
	if *r == (listRules{}) {
		return nil
	}
	return r
}
