package schema

import (
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// value checks the next value. keep says that it may have unknown fields although the node does not
// allow them: the values of an array that keeps unknown fields.
func (c *checker) value(n *node, keep bool) {
	kind := c.scanner.Peek()
	if kind == rawjson.Invalid {
		return
	}
	if c.spend(workOfValue); c.halted != nil {
		return
	}
	start := c.scanner.Offset()
	if !n.kinds.has(kind) && (kind != rawjson.Number || n.kinds&integerKind == 0) {
		c.scanner.Skip()
		c.violate("must be ", n.want, ", not ", kind.String())
		return
	}
	switch kind {
	case rawjson.Object:
		c.trial.container(c.partial)
		c.object(n, keep)
	case rawjson.Array:
		c.trial.container(c.partial)
		c.array(n, keep || n.keeps())
	case rawjson.String:
		if n.text == nil && n.enum == nil {
			c.scanner.Skip()
			break
		}
		_, text := c.scanner.String()
		if c.over() {
			return
		}
		if n.text != nil {
			c.text(n.text, text)
		}
		if n.enum != nil && !c.over() && !c.hasText(n.enum, text) {
			c.violate(n.enum.message)
		}
	case rawjson.Number:
		token := c.scanner.Skip().Of(c.doc[c.base:])
		if c.over() {
			return
		}
		if !n.kinds.has(kind) && !isInteger(token) {
			c.violate("must be ", n.want, ", not a number with a fraction or beyond 2^53")
			return
		}
		if n.number != nil {
			c.number(n.number, token)
		}
	default:
		c.scanner.Skip()
	}
	if n.enum == nil && n.more == nil || c.over() {
		return
	}
	place := rawjson.Span{Start: c.base + start, End: c.base + c.scanner.Offset()}
	if n.enum != nil && kind != rawjson.String {
		c.other(n.enum, kind, place)
	}
	if n.more != nil && kind != rawjson.Null {
		c.combination(n, keep, place)
	}
}

// other checks that a value other than a string is among those that are listed. A fragment of an
// object or a list never is.
func (c *checker) other(e *enum, kind rawjson.Kind, place rawjson.Span) {
	if c.partial && (kind == rawjson.Object || kind == rawjson.Array) {
		return
	}
	u := c.borrowUniques()
	defer c.returnUniques()
	if u.text = c.canonical(u.text, place); !c.over() && !c.has(e, u.text) {
		c.violate(e.message)
	}
}
