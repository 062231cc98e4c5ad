package schema

import (
	"fmt"
	"unicode/utf8"

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
		if n.enum != nil && !c.over() {
			if c.spend(n.enum.textWork()); !n.enum.hasText(text) {
				c.violate(n.enum.message)
			}
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
			for _, rule := range n.number.broken(token) {
				if rule != "" {
					c.violate(rule)
				}
			}
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
	u := c.sets.borrow()
	defer c.sets.giveBack()
	c.spend((place.End - place.Start) * workOfSorted)
	if u.text = c.canonical(u.text, place); c.over() {
		return
	}
	if c.spend(e.otherWork()); !e.has(u.text) {
		c.violate(e.message)
	}
}

// visit looks once more at a value that was read before.
func (c *checker) visit(n *node, value rawjson.Span, keep bool) {
	outer, base := c.push(value)
	c.spend(value.End - value.Start)
	c.value(n, keep)
	c.pop(outer, base)
}

// text checks the content of a string. It does not try the pattern if the length is wrong, so
// maxLength bounds the time.
func (c *checker) text(r *textRules, text []byte) {
	if r.length != nil {
		if rule := r.length.broken(int64(utf8.RuneCount(text)), c.partial); rule != "" {
			c.violate(rule)
			return
		}
	}
	if r.pattern != nil && c.affords(r.patternWork*(len(text)+1)) && !r.pattern.Match(text) {
		c.violate(r.patternRule)
	}
	if r.format != nil && c.affords(workOfFormat*len(text)) && !r.format.Matches(text) {
		c.violate("must have the format ", r.format.Name)
	}
}

// affords charges a match and reports whether to do it. A match that takes too much work by itself
// is skipped; in a trial it counts as undecided.
func (c *checker) affords(units int) bool {
	if units > workOfMatch {
		c.trial.unsure = true
		if c.skipped == nil {
			c.skipped = fmt.Errorf("%s: the text is too long for its pattern or format: %w", c.where(""), ErrWork)
		}
		return false
	}
	c.spend(units)
	return !c.over()
}
