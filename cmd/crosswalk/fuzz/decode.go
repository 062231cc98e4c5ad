package fuzz

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// decode decodes an object as an API server does.
func decode(text []byte) (map[string]any, error) {
	return apiserver.Decode(text)
}

// decodeChecked is decode for an object that the gateway has checked: it is five times as fast,
// because it looks for no errors.
func decodeChecked(text []byte) map[string]any {
	d := decoder{text: text}
	d.pos = rawjson.Space(text, 0)
	object, _ := d.value().(map[string]any)
	return object
}

// decoder decodes JSON that a rawjson.Scanner has passed.
type decoder struct {
	text []byte
	pos  int
}

// next moves over white space and returns the byte behind it.
func (d *decoder) next() byte {
	d.pos = rawjson.Space(d.text, d.pos)
	return d.text[d.pos]
}

func (d *decoder) value() any {
	switch d.text[d.pos] {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case '"':
		return d.string()
	}
	switch literal := string(d.skip()); literal {
	case "null":
		return nil
	case "true":
		return true
	case "false":
		return false
	default:
		return number(literal)
	}
}

// number decodes a number: an int64 if it is written as an integer.
func number(literal string) any {
	if !strings.ContainsAny(literal, ".eE") {
		if n, err := strconv.ParseInt(literal, 10, 64); err == nil {
			return n
		}
	}
	f, _ := strconv.ParseFloat(literal, 64)
	return f
}

func (d *decoder) string() string {
	start := d.pos
	end, escaped := rawjson.EndOfString(d.text, start)
	d.pos = end
	if escaped {
		return string(rawjson.Unescape(nil, d.text[start:end]))
	}
	return string(d.text[start+1 : end-1])
}

func (d *decoder) object() map[string]any {
	object := map[string]any{}
	for key := range d.members {
		object[key] = d.value()
	}
	return object
}

func (d *decoder) array() []any {
	array := []any{}
	for range d.elements {
		array = append(array, d.value())
	}
	return array
}

// members yields the key of each member of the object at the position. The loop's body must move
// over the value, with value or skip.
func (d *decoder) members(yield func(key string) bool) {
	for d.pos++; d.next() != '}'; {
		key := d.string()
		d.next()
		d.pos++ // the colon
		d.next()
		if !yield(key) {
			return
		}
		if d.next() == ',' {
			d.pos++
		}
	}
	d.pos++
}

// elements is members for an array.
func (d *decoder) elements(yield func() bool) {
	for d.pos++; d.next() != ']'; {
		if !yield() {
			return
		}
		if d.next() == ',' {
			d.pos++
		}
	}
	d.pos++
}

// skip moves over a value and returns its text.
func (d *decoder) skip() []byte {
	start := d.pos
	d.pos = rawjson.EndOfValue(d.text, start)
	return d.text[start:d.pos]
}

// encode encodes an object of decoded JSON.
func encode(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic("fuzz: " + err.Error()) // decoded JSON has nothing that does not encode
	}
	return text
}
