package schema

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/definition"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// enum is the list of the values that are allowed. As with the API server, null is never one of
// them, listed or not.
type enum struct {
	texts   []string // those that are strings
	others  [][]byte // the others, canonical
	bytes   int      // of all values
	message string
}

// enumOf returns nil if there is no list.
func enumOf(values []json.RawMessage) *enum {
	if len(values) == 0 {
		return nil
	}
	e := &enum{}
	var list strings.Builder
	for i, value := range values {
		if i > 0 {
			list.WriteString(", ")
		}
		list.Write(value)
		e.bytes += len(value)
		var text *string
		if json.Unmarshal(value, &text) == nil && text != nil {
			e.texts = append(e.texts, *text)
			continue
		}
		var s rawjson.Scanner
		s.Reset(value, 0)
		if s.Peek() == rawjson.Null {
			continue
		}
		if other := canonical(nil, &s, value); s.End() { // and not, for example, an integer that is larger than objects may have
			e.others = append(e.others, other)
		}
	}
	e.message = "must be one of " + foreign.Shorten(list.String(), definition.MaxRule)
	return e
}

// textWork and otherWork are the units of a look-up: sixteen bytes are compared at a time, of values
// as long as the one that is looked up.
func (e *enum) textWork() int  { return len(e.texts) + e.bytes/16 }
func (e *enum) otherWork() int { return len(e.others) + e.bytes/16 }

// hasText reports whether the string is allowed.
func (e *enum) hasText(text []byte) bool {
	for _, allowed := range e.texts {
		if string(text) == allowed {
			return true
		}
	}
	return false
}

// has reports whether a value other than a string, in its canonical form, is allowed.
func (e *enum) has(value []byte) bool {
	for _, allowed := range e.others {
		if bytes.Equal(value, allowed) {
			return true
		}
	}
	return false
}
