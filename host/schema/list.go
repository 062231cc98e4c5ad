package schema

import (
	"bytes"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// listRules are the rules for arrays.
type listRules struct {
	size   *sizeRules
	unique string // the rule that a repeated element violates; empty if elements may repeat
	byKey  bool   // an element repeats another if its keys do
}

// listRulesOf returns nil if the schema has no such rules.
func listRulesOf(d *definition) *listRules {
	r := &listRules{size: sizeRulesOf(d.minItems, d.maxItems, elements)}
	switch {
	case d.listType == "set":
		r.unique = "repeats an earlier element, and the list is a set"
	case d.listType == "map":
		r.unique = "repeats the " + strings.Join(d.listKeys, ", ") + " of an earlier element, which are the keys of the list"
		r.byKey = true
		if len(d.listKeys) == 1 {
			r.unique = "repeats the " + d.listKeys[0] + " of an earlier element, which is the key of the list"
		}
	case d.uniqueItems:
		r.unique = "repeats an earlier element"
	}
	if *r == (listRules{}) {
		return nil
	}
	return r
}

// array checks the array that is next. keep says whether its elements may have unknown fields.
func (c *checker) array(n *node, keep bool) {
	var seen *uniques
	if n.list != nil && n.list.unique != "" {
		seen = c.borrowUniques()
		defer c.returnUniques()
	}
	var count int64
	for c.scanner.Array(); !c.over() && c.scanner.Element(); count++ {
		if n.items == nil && seen == nil {
			continue // the next call skips the element
		}
		c.path = append(c.path, step{toElement, int(count)})
		if seen == nil {
			c.value(n.items, keep)
		} else {
			c.element(n, keep, seen)
		}
		c.path = c.path[:len(c.path)-1]
	}
	if n.list != nil && n.list.size != nil && !c.over() {
		c.size(n.list.size, count)
	}
}

// element checks one element of an array whose elements may not repeat.
func (c *checker) element(n *node, keep bool, seen *uniques) {
	keys := len(c.keys)
	kind := c.scanner.Peek()
	start := c.scanner.Offset()
	if n.items != nil {
		c.value(n.items, keep)
	} else {
		c.scanner.Skip()
	}
	if c.over() {
		return
	}
	if !n.list.byKey {
		seen.begin()
		seen.text = c.canonical(seen.text, rawjson.Span{Start: c.base + start, End: c.base + c.scanner.Offset()})
	} else if kind != rawjson.Object && kind != rawjson.Null || !c.mapKey(n.items, keys, seen) {
		return
	}
	if !seen.add() {
		c.violate(n.list.unique)
	}
}

// mapKey appends the keys of an element to seen; c.keys has their places, from the index first on.
// It returns false if the keys cannot be compared. An absent key equals an absent key, except in a
// fragment, where the key may be elsewhere.
func (c *checker) mapKey(n *node, first int, seen *uniques) bool {
	c.spend(len(n.mapKeys))
	places := c.keys[first:]
	defer func() { c.keys = c.keys[:first] }()
	seen.begin()
	for i := range n.mapKeys {
		// c.keys has no places if the element is not an object.
		if i >= len(places) || places[i].End == 0 {
			if c.partial {
				return false
			}
			seen.text = append(seen.text, '?')
			continue
		}
		seen.text = c.canonical(seen.text, places[i])
	}
	return true
}

// canonical appends the canonical form of the value at the place; see the function canonical.
func (c *checker) canonical(dst []byte, place rawjson.Span) []byte {
	c.spend((place.End - place.Start) * workOfSorted)
	doc := place.Of(c.doc)
	if n := len(doc) - 1; doc[0] == '"' {
		if text := doc[1:n]; bytes.IndexByte(text, '\\') < 0 {
			return canonicalText(dst, text)
		}
	}
	c.spare.Reset(doc, 0)
	return canonical(dst, &c.spare, doc)
}
