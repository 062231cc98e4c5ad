package schema

import (
	"encoding/json"
	"math/rand/v2"
)

// schema is a schema as JSON has it.
type schema = map[string]any

// author makes structural schemas at random.
type author struct{ *rand.Rand }

func (a author) chance(percent int) bool { return a.IntN(100) < percent }

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

var names = []string{"a", "b", "c", "kind", "e"}

// structural makes the schema of a value.
func (a author) structural(depth int) schema {
	s := schema{}
	sort := a.IntN(9)
	if depth > 3 {
		sort = a.IntN(4)
	}
	switch sort {
	case 0:
		s["type"] = "string"
	case 1:
		s["type"] = "integer"
	case 2:
		s["type"] = pick(a.Rand, "number", "boolean")
	case 3:
		s["x-kubernetes-int-or-string"] = true
		if a.chance(50) {
			s["anyOf"] = []any{schema{"type": "integer"}, schema{"type": "string"}}
		}
	case 4, 5:
		a.object(s, depth)
	case 6:
		s["type"], s["additionalProperties"] = "object", a.structural(depth+1)
	case 7:
		a.array(s, depth)
	case 8:
		a.preserve(s, depth)
	}
	if a.chance(20) {
		s["nullable"] = true
	}
	if a.chance(15) && sort == 0 {
		s["default"] = "a"
	}
	a.rules(s, s, depth, s["x-kubernetes-int-or-string"] == nil)
	return s
}

func (a author) object(s schema, depth int) {
	s["type"] = "object"
	properties := schema{}
	for _, name := range names {
		if a.chance(50) {
			properties[name] = a.structural(depth + 1)
		}
	}
	s["properties"] = properties
	if a.chance(10) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
}

func (a author) array(s schema, depth int) {
	s["type"] = "array"
	switch a.IntN(4) {
	case 0:
		s["x-kubernetes-list-type"] = "set"
		s["items"] = schema{"type": pick(a.Rand, "string", "integer")}
	case 1:
		properties := schema{"a": schema{"type": "string"}, "b": schema{"type": "integer"}, "c": a.structural(depth + 1)}
		s["x-kubernetes-list-type"] = "map"
		s["x-kubernetes-list-map-keys"] = pick(a.Rand, []string{"a"}, []string{"b"}, []string{"a", "b"})
		s["items"] = schema{"type": "object", "properties": properties}
	default:
		s["items"] = a.structural(depth + 1)
	}
}

func (a author) preserve(s schema, depth int) {
	s["x-kubernetes-preserve-unknown-fields"] = true
	switch a.IntN(4) {
	case 0:
		a.object(s, depth)
	case 1:
		s["type"], s["items"] = "array", a.structural(depth+1)
	case 2:
		s["type"], s["x-kubernetes-embedded-resource"] = "object", true
		if a.chance(50) {
			s["properties"] = schema{"spec": a.structural(depth + 1)}
			delete(s, "x-kubernetes-preserve-unknown-fields")
		}
	}
}

// rules adds to s rules for a value that the structural schema shape describes; s is shape, or a
// part of its allOf and so on.
func (a author) rules(s, shape schema, depth int, combine bool) {
	kind, _ := shape["type"].(string)
	either := shape["x-kubernetes-int-or-string"] != nil
	if kind == "string" || either {
		a.text(s, either)
	}
	if kind == "integer" || kind == "number" || either {
		a.number(s, kind)
	}
	if kind == "object" {
		a.size(s, "minProperties", "maxProperties")
		for _, name := range append([]string{"other"}, names...) {
			if a.chance(12) {
				s["required"] = append(orEmpty(s["required"]), name)
			}
		}
	}
	if kind == "array" {
		a.size(s, "minItems", "maxItems")
	}
	if !combine || depth > 4 {
		return
	}
	for _, junctor := range []string{"allOf", "anyOf", "oneOf"} {
		if a.chance(10) && s[junctor] == nil {
			var parts []any
			for range 1 + a.IntN(3) {
				parts = append(parts, a.nested(shape, depth+2))
			}
			s[junctor] = parts
		}
	}
	if a.chance(7) {
		s["not"] = a.nested(shape, depth+2)
	}
}

func orEmpty(list any) []string {
	already, _ := list.([]string)
	return already
}

// nested makes a part of an allOf and so on.
func (a author) nested(shape schema, depth int) schema {
	s := schema{}
	a.rules(s, shape, depth, true)
	if properties, ok := shape["properties"].(schema); ok {
		inner := schema{}
		for _, name := range names {
			if of, ok := properties[name].(schema); ok && a.chance(30) {
				inner[name] = a.nested(of, depth+1)
			}
		}
		if len(inner) > 0 {
			s["properties"] = inner
		}
	}
	if items, ok := shape["items"].(schema); ok && a.chance(30) {
		s["items"] = a.nested(items, depth+1)
	}
	return s
}

func (a author) text(s schema, either bool) {
	if a.chance(20) {
		s["pattern"] = pick(a.Rand, "^a", "b$", "^[a-z]+$", "^$", "é", "[0-9]")
	}
	if a.chance(20) {
		a.size(s, "minLength", "maxLength")
	}
	if a.chance(20) && !either {
		s["format"] = pick(a.Rand, formats...)
	}
	if a.chance(15) {
		s["enum"] = []any{"a", "b", "é"}[:1+a.IntN(3)]
	}
}

func (a author) number(s schema, kind string) {
	if a.chance(25) {
		s["minimum"] = a.IntN(5) - 2
		s["exclusiveMinimum"] = a.chance(30)
	}
	if a.chance(25) {
		s["maximum"] = a.IntN(9) - 2
		s["exclusiveMaximum"] = a.chance(30)
	}
	if a.chance(10) {
		s["multipleOf"] = 2 + a.IntN(2)
	}
	if a.chance(15) && kind != "" {
		s["format"] = pick(a.Rand, "int32", "int64", "float", "double")
	}
	if a.chance(10) && kind == "integer" {
		s["enum"] = []any{json.RawMessage("1"), json.RawMessage("3")}
	}
}

func (a author) size(s schema, least, most string) {
	if a.chance(15) {
		s[least] = a.IntN(3)
	}
	if a.chance(15) {
		s[most] = a.IntN(4)
	}
}
