package schema

import "github.com/crosswalk-gateway/crosswalk/internal/rawjson"

// array checks the array that is next. keep says whether its elements may have unknown fields.
func (c *checker) array(n *node, keep bool) {
	var seen *uniques
	if n.list != nil && n.list.unique != "" {
		seen = c.sets.borrow()
		defer c.sets.giveBack()
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
	if n.list == nil || c.over() {
		return
	}
	if rule := n.list.size.broken(count, c.partial); rule != "" {
		c.violate(rule)
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
		place := rawjson.Span{Start: c.base + start, End: c.base + c.scanner.Offset()}
		c.spend((place.End - place.Start) * workOfSorted)
		seen.text = c.canonical(seen.text, place)
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
		c.spend((places[i].End - places[i].Start) * workOfSorted)
		seen.text = c.canonical(seen.text, places[i])
	}
	return true
}
