package schema

import (
	"bytes"
	"strconv"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// cursor is a place in an object that is read, and its path.
type cursor struct {
	doc     []byte           // the object
	scanner *rawjson.Scanner // over the object, or over a value in it that is read again
	base    int              // where that value begins
	depth   int              // how many of the scanners are in use
	spares  []*rawjson.Scanner
	spare   rawjson.Scanner // for short use
	path    []step          // to the current value
}

// enter begins to read an object.
func (c *cursor) enter(object []byte) {
	c.doc, c.path, c.base, c.depth = object, c.path[:0], 0, 0
	c.push(rawjson.Span{Start: 0, End: len(object)})
}

// release drops the references to the object.
func (c *cursor) release() {
	c.doc = nil
	for _, s := range c.spares {
		s.Reset(nil, 0)
	}
	c.spare.Reset(nil, 0)
}

// push begins to look at a part of the object with a scanner of its own. c.scanner and c.base must
// be put back in the end, by pop.
func (c *cursor) push(part rawjson.Span) (outer *rawjson.Scanner, base int) {
	outer, base = c.scanner, c.base
	if c.depth == len(c.spares) {
		c.spares = append(c.spares, new(rawjson.Scanner))
	}
	c.scanner, c.base = c.spares[c.depth], part.Start
	c.scanner.Reset(part.Of(c.doc), 0)
	c.depth++
	return outer, base
}

func (c *cursor) pop(outer *rawjson.Scanner, base int) {
	c.scanner, c.base = outer, base
	c.depth--
}

// where returns the path of the current value, or of its member with the name: spec.list[3].name.
// It is empty for the object itself.
func (c *cursor) where(name string) string {
	var path []byte
	for _, s := range c.path {
		if s.to == toElement {
			path = append(strconv.AppendInt(append(path, '['), int64(s.at), 10), ']')
			continue
		}
		c.spare.Reset(c.doc[s.at:], 0)
		_, text := c.spare.String()
		path = appendName(path, string(text), s.to)
	}
	if name != "" {
		path = appendName(path, name, toField)
	}
	return string(path)
}

// canonical appends the canonical form of the value at the place; see the function canonical.
func (c *cursor) canonical(dst []byte, place rawjson.Span) []byte {
	doc := place.Of(c.doc)
	if n := len(doc) - 1; doc[0] == '"' {
		if text := doc[1:n]; bytes.IndexByte(text, '\\') < 0 {
			return canonicalText(dst, text)
		}
	}
	c.spare.Reset(doc, 0)
	return canonical(dst, &c.spare, doc)
}
