package fuzz

import (
	"encoding/json"
	"strconv"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// decode decodes an object as an API server does: integers as int64, other numbers as float64.
func decode(text []byte) (map[string]any, error) {
	var value map[string]any
	err := utiljson.Unmarshal(text, &value)
	return value, err
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
	start := d.pos
	d.pos = rawjson.EndOfValue(d.text, start)
	switch literal := string(d.text[start:d.pos]); literal {
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
	for d.pos++; d.next() != '}'; {
		key := d.string()
		d.next()
		d.pos++ // the colon
		d.next()
		object[key] = d.value()
		if d.next() == ',' {
			d.pos++
		}
	}
	d.pos++
	return object
}

func (d *decoder) array() []any {
	array := []any{}
	for d.pos++; d.next() != ']'; {
		array = append(array, d.value())
		if d.next() == ',' {
			d.pos++
		}
	}
	d.pos++
	return array
}

// convertedObjects returns the texts of the objects in a response of the gateway; nil if it has
// none.
func convertedObjects(response []byte) (objects []json.RawMessage) {
	found := member(member(response, "response"), "convertedObjects")
	if found == nil {
		return nil
	}
	d := decoder{text: found}
	for d.pos++; d.next() != ']'; {
		start := d.pos
		d.pos = rawjson.EndOfValue(found, start)
		objects = append(objects, found[start:d.pos])
		if d.next() == ',' {
			d.pos++
		}
	}
	return objects
}

// member returns the text of a member of an object that a rawjson.Scanner has passed; nil if there
// is none.
func member(object []byte, name string) []byte {
	if len(object) == 0 {
		return nil
	}
	d := decoder{text: object}
	d.next()
	for d.pos++; d.next() != '}'; {
		key := d.string()
		d.next()
		d.pos++ // the colon
		d.next()
		start := d.pos
		d.pos = rawjson.EndOfValue(object, start)
		if key == name {
			return object[start:d.pos]
		}
		if d.next() == ',' {
			d.pos++
		}
	}
	return nil
}

// encode encodes an object of decoded JSON.
func encode(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic("fuzz: " + err.Error()) // decoded JSON has nothing that does not encode
	}
	return text
}
