package schema

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
)

// writer writes random objects: mostly valid by their schema, and now and then invalid.
type writer struct {
	*rand.Rand
	wrong int  // how often something else, in per mille
	plain bool // integers only without a point or an exponent: the gateway takes 2 and 2.0 for one element, the API server for two
}

func (w writer) slip() bool { return w.IntN(1000) < w.wrong }

// texts are the strings in objects: few, so that they repeat and often satisfy the schemas of
// author, and at least one of each format.
var texts = []string{
	"", "a", "b", "ab", "abc", "é", "éb", "A", "1", "a b", "2026-08-01", "2026-02-30", "2026-08-01T12:00:00Z", "2026-08-01t23:59:60Z", "2026-08-01T12:00:00.5+02:00",
	"2026-08-01T12:00:00", "10.0.0.1", "010.0.0.1", "::1", "::ffff:1.2.3.4", "10.0.0.0/8", "1h30m", "2 days", "aGVsbG8=", "YQ", "a@example.com", "example.com",
	"foo-bar", "https://example.com/", "#fff", "ffffff", "rgb(1,2,3)", "rgb(256,0,0)", "123-45-6789", "01:23:45:67:89:ab", "507f1f77bcf86cd799439011",
	"123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000", "123E4567E89B52D3C456426614174000",
}

func (w writer) scalar() any {
	switch w.IntN(6) {
	case 0:
		return pick(w.Rand, texts...)
	case 1:
		return w.integer(true)
	case 2:
		return json.RawMessage(pick(w.Rand, w.floats("0.5", "-1.5", "1e300", "1e17")...))
	case 3:
		return w.IntN(2) == 0
	case 4:
		return nil
	default:
		return w.integer(false)
	}
}

// floats returns numbers that are written with a point or an exponent, among them integers if they
// may be.
func (w writer) floats(fractions ...string) []string {
	if w.plain {
		return fractions
	}
	return append(fractions, "3.0", "1e1", "-0.0", "2e0")
}

func (w writer) integer(large bool) json.RawMessage {
	if large && w.IntN(5) == 0 {
		return json.RawMessage(pick(w.Rand, "2147483648", "-2147483649", "9007199254740993", "9223372036854775807", "-9223372036854775808", "100000000000000000000", "-18446744073709551616"))
	}
	return compact(w.IntN(9) - 3)
}

func (w writer) anything(depth int) any {
	switch n := w.IntN(8); {
	case n == 0 && depth < 6:
		return map[string]any{pick(w.Rand, names...): w.anything(depth + 1)}
	case n == 1 && depth < 6:
		return []any{w.anything(depth + 1)}
	}
	return w.scalar()
}

// value writes a value of a schema.
func (w writer) value(s schema, depth int) any {
	if w.slip() {
		return w.anything(depth)
	}
	if s["nullable"] == true && w.IntN(6) == 0 {
		return nil
	}
	if enum, ok := s["enum"].([]any); ok && w.IntN(3) > 0 {
		return enum[w.IntN(len(enum))]
	}
	switch s["type"] {
	case "string":
		return pick(w.Rand, texts...)
	case "integer", "number":
		return w.number(s)
	case "boolean":
		return w.IntN(2) == 0
	case "object":
		return w.object(s, depth)
	case "array":
		return w.array(s, depth)
	}
	if s["x-kubernetes-int-or-string"] == true {
		if w.IntN(2) == 0 {
			return w.integer(true)
		}
		return pick(w.Rand, texts...)
	}
	return w.anything(depth)
}

func (w writer) number(s schema) any {
	_, listed := s["enum"]
	switch n := w.IntN(10); {
	case listed || n > 2:
		return w.integer(!listed)
	case n == 0 && !w.plain:
		return json.RawMessage(pick(w.Rand, w.floats()...))
	case s["type"] == "number":
		return json.RawMessage(pick(w.Rand, "0.5", "-1.5", "1e300", "1e17", "3.5e38"))
	}
	return w.integer(true)
}

func (w writer) object(s schema, depth int) map[string]any {
	object := map[string]any{}
	if s["x-kubernetes-embedded-resource"] == true {
		w.meta(object)
	}
	properties, _ := s["properties"].(schema)
	required := map[string]bool{}
	for _, name := range orEmpty(s["required"]) {
		required[name] = true
	}
	if list, ok := s["required"].([]any); ok {
		for _, name := range list {
			required[name.(string)] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if name == "metadata" && depth == 0 {
			continue // the gateway does not look at it
		}
		if required[name] && !w.slip() || depth < 12 && w.IntN(5) < 3 {
			object[name] = w.value(properties[name].(schema), depth+1)
		}
	}
	if w.slip() || s["x-kubernetes-preserve-unknown-fields"] == true && w.IntN(2) == 0 {
		object[pick(w.Rand, "a", "b", "other", "zz")] = w.anything(depth + 1)
	}
	if additional, ok := s["additionalProperties"].(schema); ok {
		for range w.IntN(4) {
			object[pick(w.Rand, "k", "l", "m", "a")] = w.value(additional, depth+1)
		}
	}
	return object
}

func (w writer) meta(object map[string]any) {
	if w.IntN(9) > 0 {
		object["apiVersion"] = pick[any](w.Rand, "v1", "apps/v1", "v1", "a/b/c", "", 1)
	}
	if w.IntN(9) > 0 {
		object["kind"] = pick[any](w.Rand, "Pod", "Deployment", "Pod", "no kind", "", nil)
	}
	if w.IntN(3) > 0 {
		object["metadata"] = pick[any](w.Rand, map[string]any{"name": "x"}, map[string]any{}, []any{}, "x")
	}
}

func (w writer) array(s schema, depth int) []any {
	list := []any{}
	items, ok := s["items"].(schema)
	if !ok || depth > 12 {
		return list
	}
	w.plain = w.plain || s["x-kubernetes-list-type"] != nil
	for range w.IntN(4) {
		list = append(list, w.value(items, depth+1))
	}
	return list
}

// resource writes a whole object.
func (w writer) resource(s schema) []byte {
	object := w.object(s, 0)
	object["apiVersion"], object["kind"], object["metadata"] = "example.com/v1", "Thing", map[string]any{"name": "x"}
	return compact(object)
}
