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
	condition := schema{"type": "object", "required": []string{"path"}, "additionalProperties": false, "properties": schema{
		"path": ref("path"), "equals": true, "in": schema{"type": "array", "minItems": 1}, "exists": boolType, "not": boolType,
	}, "oneOf": []schema{{"required": []string{"equals"}}, {"required": []string{"in"}}, {"required": []string{"exists"}}}}
	root := objectOf(topMembers)
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "Rules of a Crosswalk converter"
	root["description"] = "docs/rules.md is the reference."
	properties := root["properties"].(schema)
	properties["conversions"] = schema{"type": "array", "minItems": 1, "items": objectOf(stepMembers), "description": about(topMembers, "conversions")}
	properties["cases"] = schema{"type": "array", "items": schema{"type": "object"}, "description": about(topMembers, "cases")}
	root["definitions"] = schema{
		"path":      schema{"type": "string", "minLength": 1},
		"text":      schema{"type": []string{"string", "number"}, "minLength": 1},
		"part":      schema{"anyOf": []schema{ref("path"), {"type": "object", "required": []string{"path"}, "additionalProperties": false, "properties": schema{"path": ref("path"), "type": schema{"enum": []string{"string", "integer"}}}}}},
		"type":      schema{"enum": types},
		"condition": condition,
		"rule":      schema{"oneOf": ruleSchemas()},
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(root) // to memory, of encodable types
	return b.Bytes()
}

type schema map[string]any

var boolType = schema{"type": "boolean"}

func ref(name string) schema { return schema{"$ref": "#/definitions/" + name} }

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
func objectOf(members []member) schema {
	properties, required := schema{}, []string{}
	for _, m := range members {
		s := m.schema()
		s["description"] = m.about
		properties[m.name] = s
		if m.required {
			required = append(required, m.name)
		}
	}
	return schema{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
}

// ruleSchemas returns a schema for each verb.
func ruleSchemas() (all []schema) {
	for _, v := range verbs {
		own := v.member
		own.required = true
		s := objectOf(append([]member{own, when}, v.members...))
		s["description"] = v.about
		if v.name == "split" || v.name == "join" {
			s["oneOf"] = []schema{{"required": []string{"separator"}}, {"required": []string{"words"}}, {"required": []string{"hostPort"}}}
		}
		all = append(all, s)
	}
	return all
}

func (m member) schema() schema {
	annotation := func(more schema, required ...string) schema {
		more["annotation"] = ref("text")
		return schema{"type": "object", "additionalProperties": false, "properties": more, "required": append([]string{"annotation"}, required...)}
	}
	switch m.shape {
	case aPath:
		return schema{"allOf": []schema{ref("path")}}
	case aName, aText, aVersion:
		return schema{"allOf": []schema{ref("text")}}
	case aBool:
		return schema{"type": "boolean"}
	case aWord:
		return schema{"enum": m.words}
	case somePaths:
		return schema{"type": "array", "items": ref("path")}
	case someParts:
		return schema{"type": "array", "items": ref("part"), "minItems": 2, "maxItems": maxParts}
	case somePairs:
		return schema{"type": "array", "minItems": 1, "items": schema{"type": "array", "minItems": 2, "maxItems": 2}}
	case twoTypes:
		return schema{"type": "array", "items": ref("type"), "minItems": 2, "maxItems": 2}
	case someRules:
		return schema{"type": "array", "items": ref("rule")}
	case aCondition:
		return schema{"anyOf": []schema{ref("condition"), {"type": "object", "not": schema{"required": []string{"path"}}, "additionalProperties": ref("condition"), "minProperties": 1, "maxProperties": 2}}}
	case dependence:
		return schema{"anyOf": []schema{{"const": "object"}, {"type": "array", "items": ref("path")}}}
	case aRest:
		return schema{"anyOf": []schema{{"const": "stash"}, annotation(schema{"key": ref("text")}, "key")}}
	case aPartial:
		return schema{"anyOf": []schema{{"enum": []string{"stash", "leave", "refuse"}}, annotation(schema{})}}
	case someTexts:
		properties := schema{}
		for _, name := range m.words {
			properties[name] = ref("text")
		}
		return schema{"type": "object", "additionalProperties": false, "properties": properties}
	}
	return schema{} // aValue: anything
}
