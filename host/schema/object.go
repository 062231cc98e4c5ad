package schema

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// object checks the object that is next.
func (c *checker) object(n *node, keep bool) {
	shape := n
	if n.shape != nil {
		shape = n.shape
	}
	keep = keep || n.keeps() || c.unpruned || c.kept > 0
	if c.spend(len(n.required) + len(n.mapKeys)); c.halted != nil {
		return
	}
	marks, keys := len(c.marks), len(c.keys)
	for range (len(n.required) + 63) / 64 {
		c.marks = append(c.marks, 0)
	}
	for range n.mapKeys {
		c.keys = append(c.keys, rawjson.Span{})
	}
	var count int64
	var there meta
	c.scanner.Object()
	for m, ok := c.scanner.Member(); ok && !c.over(); m, ok = c.scanner.Member() {
		f := n.fields[string(m.Key)]
		known := f
		if shape != n {
			known = shape.fields[string(m.Key)]
		}
		part := shape.additional // the structural node of the member
		if known != nil && known.node != nil {
			part = known.node
		}
		which, at := notMeta, c.base+m.Start
		if shape.embedded {
			which = metaOf(m.Key)
		}
		switch {
		case part == nil && which == notMeta && !keep:
			c.unknown(n, at)
			continue
		case part != nil && part.dropsNull && !c.unpruned && c.scanner.Peek() == rawjson.Null:
			continue
		case which != notMeta && n.shape == nil:
			c.meta(n, f, which, keys, at)
			there |= which
		default:
			c.member(n, f, keys, at)
		}
		count++
		if f != nil && f.required >= 0 {
			c.marks[marks+f.required>>6] |= 1 << (f.required & 63)
		}
	}
	if !c.over() {
		c.absent(n, marks, there)
		if rule := n.members.broken(count, c.partial); rule != "" {
			c.violate(rule)
		}
	}
	c.marks = c.marks[:marks]
}

// unknown reports a member that the API server drops. Rules about the value of a structural node
// take no notice of it.
func (c *checker) unknown(n *node, at int) {
	if n.shape != nil {
		return
	}
	c.path = append(c.path, step{toField, at})
	c.tell("", true, "unknown field, the API server drops it")
	c.path = c.path[:len(c.path)-1]
}

// member checks the value of a member, if anything is known about it. keys is where the object's
// part of c.keys begins.
func (c *checker) member(n *node, f *field, keys, at int) {
	child, to := n.additional, toEntry
	if f != nil && f.node != nil {
		child, to = f.node, toField
	}
	if child == nil {
		return // the next call skips the value
	}
	c.path = append(c.path, step{to, at})
	if f == nil || f.mapKey < 0 {
		c.value(child, false)
	} else {
		c.scanner.Peek()
		start := c.scanner.Offset()
		c.value(child, false)
		c.keys[keys+f.mapKey] = rawjson.Span{Start: c.base + start, End: c.base + c.scanner.Offset()}
	}
	c.path = c.path[:len(c.path)-1]
}

// absent reports the required members that are not there. there says which of an embedded resource
// are.
func (c *checker) absent(n *node, marks int, there meta) {
	if c.partial {
		return
	}
	for i, name := range n.required {
		if c.marks[marks+i>>6]&(1<<(i&63)) == 0 {
			if c.tell(name, false, "is required"); c.over() {
				return
			}
		}
	}
	if !n.embedded || n.root || n.shape != nil {
		return
	}
	if there&metaAPIVersion == 0 && !slices.Contains(n.required, "apiVersion") {
		c.tell("apiVersion", false, "is required in an embedded resource")
	}
	if there&metaKind == 0 && !slices.Contains(n.required, "kind") {
		c.tell("kind", false, "is required in an embedded resource")
	}
}
