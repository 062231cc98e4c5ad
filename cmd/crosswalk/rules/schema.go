package rules

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Schema returns the JSON Schema of a rules file, for editors. It follows the table of verbs, as
// the parser does.
func Schema() []byte {
	types := slices.Concat([]any{"string", "integer", "number", "boolean", "quantity", "duration", 1}, sorted(durationUnits), sorted(quantityUnits))
	condition := jsonSchema{"type": "object", "required": []string{"path"}, "additionalProperties": false, "properties": jsonSchema{
		"path": ref("path"), "equals": true, "in": jsonSchema{"type": "array", "minItems": 1}, "exists": boolType, "not": boolType,
	}, "oneOf": []jsonSchema{{"required": []string{"equals"}}, {"required": []string{"in"}}, {"required": []string{"exists"}}}}
	root := objectOf(topMembers)
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "Rules of a Crosswalk converter"
	root["description"] = "docs/rules.md is the reference."
	properties := root["properties"].(jsonSchema)
	properties["conversions"] = jsonSchema{"type": "array", "minItems": 1, "items": objectOf(stepMembers), "description": about(topMembers, "conversions")}
	properties["cases"] = jsonSchema{"type": "array", "items": jsonSchema{"type": "object"}, "description": about(topMembers, "cases")}
	root["definitions"] = jsonSchema{
		"path":      jsonSchema{"type": "string", "minLength": 1},
		"text":      jsonSchema{"type": []string{"string", "number"}, "minLength": 1},
		"part":      jsonSchema{"anyOf": []jsonSchema{ref("path"), {"type": "object", "required": []string{"path"}, "additionalProperties": false, "properties": jsonSchema{"path": ref("path"), "type": jsonSchema{"enum": []string{"string", "integer"}}}}}},
		"type":      jsonSchema{"enum": types},
		"condition": condition,
		"rule":      jsonSchema{"oneOf": ruleSchemas()},
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(root) // to memory, of encodable types
	return b.Bytes()
}

type jsonSchema map[string]any

var boolType = jsonSchema{"type": "boolean"}

func ref(name string) jsonSchema { return jsonSchema{"$ref": "#/definitions/" + name} }

func about(members []member, name string) string {
	return members[slices.IndexFunc(members, func(m member) bool { return m.name == name })].about
}

func sorted(units map[string]word) (names []any) {
	for name := range units {
		if name != "integer" {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b any) int { return bytes.Compare([]byte(a.(string)), []byte(b.(string))) })
	return names
}

// objectOf returns the schema of an object with these members.
func objectOf(members []member) jsonSchema {
	properties, required := jsonSchema{}, []string{}
	for _, m := range members {
		s := m.schema()
		s["description"] = m.about
		properties[m.name] = s
		if m.required {
			required = append(required, m.name)
		}
	}
	return jsonSchema{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
}

// ruleSchemas returns a schema for each verb.
func ruleSchemas() (all []jsonSchema) {
	for _, v := range verbs {
		own := v.member
		own.required = true
		s := objectOf(append([]member{own, when}, v.members...))
		s["description"] = v.about
		if v.name == "split" || v.name == "join" {
			s["oneOf"] = []jsonSchema{{"required": []string{"separator"}}, {"required": []string{"words"}}, {"required": []string{"hostPort"}}}
		}
		all = append(all, s)
	}
	return all
}

func (m member) schema() jsonSchema {
	annotation := func(more jsonSchema, required ...string) jsonSchema {
		more["annotation"] = ref("text")
		return jsonSchema{"type": "object", "additionalProperties": false, "properties": more, "required": append([]string{"annotation"}, required...)}
	}
	switch m.shape {
	case aPath:
		return jsonSchema{"allOf": []jsonSchema{ref("path")}}
	case aName, aText, aVersion:
		return jsonSchema{"allOf": []jsonSchema{ref("text")}}
	case aBool:
		return jsonSchema{"type": "boolean"}
	case aWord:
		return jsonSchema{"enum": m.words}
	case somePaths:
		return jsonSchema{"type": "array", "items": ref("path")}
	case someParts:
		return jsonSchema{"type": "array", "items": ref("part"), "minItems": 2, "maxItems": maxParts}
	case somePairs:
		return jsonSchema{"type": "array", "minItems": 1, "items": jsonSchema{"type": "array", "minItems": 2, "maxItems": 2}}
	case twoTypes:
		return jsonSchema{"type": "array", "items": ref("type"), "minItems": 2, "maxItems": 2}
	case someRules:
		return jsonSchema{"type": "array", "items": ref("rule")}
	case aCondition:
		return jsonSchema{"anyOf": []jsonSchema{ref("condition"), {"type": "object", "not": jsonSchema{"required": []string{"path"}}, "additionalProperties": ref("condition"), "minProperties": 1, "maxProperties": 2}}}
	case dependence:
		return jsonSchema{"anyOf": []jsonSchema{{"const": "object"}, {"type": "array", "items": ref("path")}}}
	case aRest:
		return jsonSchema{"anyOf": []jsonSchema{{"const": "stash"}, annotation(jsonSchema{"key": ref("text")}, "key")}}
	case aPartial:
		return jsonSchema{"anyOf": []jsonSchema{{"enum": []string{"stash", "leave", "refuse"}}, annotation(jsonSchema{})}}
	case someTexts:
		properties := jsonSchema{}
		for _, name := range m.words {
			properties[name] = ref("text")
		}
		return jsonSchema{"type": "object", "additionalProperties": false, "properties": properties}
	}
	return jsonSchema{} // aValue: anything
}
