package schema

import (
	"strconv"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

const (
	// maxName is how many bytes of a name in a path or a message are printed, and maxRule how many
	// of a pattern or an enum: enough to recognise it, and short enough for a line of a log and for
	// the output of kubectl.
	maxName = 128
	maxRule = 256
)

// step is one step from a value to a part of it.
type step struct {
	to stepTo
	at int // of an element its index; of a member where its name begins in the object
}

type stepTo uint8

const (
	toField   stepTo = iota // a member that the schema knows, or should: .name
	toEntry                 // a member whose name is data, such as [name]
	toElement               // an element: [3]
)

// where returns the path of the current value, or of its member with the name: spec.list[3].name.
// It is empty for the object itself.
func (c *checker) where(name string) string {
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

// appendName appends the step to a member. It quotes a name that could be misread.
func appendName(path []byte, name string, to stepTo) []byte {
	shown := foreign.Shorten(name, maxName)
	if to == toField && isPlain(shown, "-_$") {
		if len(path) > 0 {
			path = append(path, '.')
		}
		return append(path, shown...)
	}
	path = append(path, '[')
	if isPlain(shown, "-_$./:@+~…") {
		path = append(path, shown...)
	} else {
		path = rawjson.Quote(path, shown)
	}
	return append(path, ']')
}

// isPlain reports whether a name has only letters, digits and the others in it, and at least one of
// them.
func isPlain(name, others string) bool {
	for _, r := range name {
		if r < 0x80 && (isLetter(byte(r)) || isDigit(byte(r))) {
			continue
		}
		found := false
		for _, other := range others {
			found = found || r == other
		}
		if !found {
			return false
		}
	}
	return name != ""
}
