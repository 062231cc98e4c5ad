package vocabulary

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
)

// JSONSchema returns the JSON Schema of a rules file, for editors. It follows the table of verbs, as
// the parser does.
func JSONSchema() []byte {
	types := slices.Concat([]any{"string", "integer", "intOrString", "number", "boolean", "quantity", "duration", "apiVersion", "apiGroup", 1}, sorted(program.DurationUnits), sorted(program.QuantityUnits))
	root := objectOf("Rules of a Crosswalk converter", TopMembers)
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["description"] = "docs/author/rules.md is the reference."
	properties := root["properties"].(jsonSchema)
	properties["conversions"] = jsonSchema{"type": "array", "minItems": 1, "items": objectOf("a pair of versions", StepMembers), "description": about(TopMembers, "conversions")}
	properties["cases"] = jsonSchema{"type": "array", "items": objectOf("a golden case", CaseMembers), "description": about(TopMembers, "cases")}
	properties["lossy"] = jsonSchema{"type": "array", "items": objectOf("an accepted loss", LossMembers), "description": about(TopMembers, "lossy")}
	root["definitions"] = jsonSchema{
		"path":      jsonSchema{"type": "string", "minLength": 1},
		"text":      jsonSchema{"type": []string{"string", "number"}, "minLength": 1},
		"part":      jsonSchema{"anyOf": []jsonSchema{ref("path"), objectOf("a part with a type", PartMembers)}},
		"type":      jsonSchema{"enum": types},
		"condition": conditionSchema(),
		"when":      whenSchema(),
		"rule":      ruleSchema(),
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(root) // to memory, of encodable types
	return b.Bytes()
}

// conditionSchema returns the schema of a condition for both versions or for one.
func conditionSchema() jsonSchema {
	s := objectOf("a condition", ConditionMembers)
	s["oneOf"] = []jsonSchema{{"required": []string{"equals"}}, {"required": []string{"in"}}, {"required": []string{"exists"}}}
	s["properties"].(jsonSchema)["in"] = jsonSchema{"type": "array", "minItems": 1, "description": about(ConditionMembers, "in")}
	return s
}

// whenSchema returns the schema of the conditions of a rule. Its properties are those of a
// condition, for editors; without a path, the members are versions.
func whenSchema() jsonSchema {
	hints := jsonSchema{}
	for _, m := range ConditionMembers {
		hints[m.Name] = jsonSchema{"description": m.About}
	}
	several := jsonSchema{"type": "array", "items": ref("condition"), "minItems": 1}
	return jsonSchema{"type": []string{"object", "array"}, "title": "a condition, or a list of which all have to hold", "properties": hints,
		"if": jsonSchema{"type": "array"}, "then": several, "else": jsonSchema{"if": jsonSchema{"required": []string{"path"}}, "then": ref("condition"),
			"else": jsonSchema{"additionalProperties": jsonSchema{"anyOf": []jsonSchema{several, ref("condition")}}, "minProperties": 1, "maxProperties": 2}}}
}

type jsonSchema map[string]any

func ref(name string) jsonSchema { return jsonSchema{"$ref": "#/definitions/" + name} }

func about(members []Member, name string) string {
	return members[slices.IndexFunc(members, func(m Member) bool { return m.Name == name })].About
}

func sorted(units map[string]program.Word) (names []any) {
	for name := range units {
		if name != "integer" {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b any) int { return bytes.Compare([]byte(a.(string)), []byte(b.(string))) })
	return names
}

// objectOf returns the schema of an object with these members; editors show the title.
func objectOf(title string, members []Member) jsonSchema {
	properties, required := jsonSchema{}, []string{}
	for _, m := range members {
		s := m.schema()
		s["description"] = m.About
		properties[m.Name] = s
		if m.Required {
			required = append(required, m.Name)
		}
	}
	return jsonSchema{"title": title, "type": "object", "additionalProperties": false, "properties": properties, "required": required}
}

// ruleSchema returns the schema of a rule: a chain of questions for its verb, so that editors offer
// the verbs in an empty rule, and otherwise the members of its verb alone.
func ruleSchema() jsonSchema {
	hints := jsonSchema{}
	for _, v := range Verbs {
		hints[v.Name] = jsonSchema{"description": v.About}
	}
	s := jsonSchema{"title": "a rule", "type": "object", "properties": hints, "additionalProperties": false, "minProperties": 1}
	each := slices.IndexFunc(Verbs, func(v Verb) bool { return v.Name == "each" }) // a member of other rules, too: asked last
	for _, v := range slices.Concat(Verbs[each:], Verbs[:each]) {
		own := v.Member
		own.Required = true
		one := objectOf("a rule "+v.Name, append([]Member{own}, v.Allowed()...))
		one["description"] = v.About
		if v.Name == "split" || v.Name == "join" {
			one["oneOf"] = []jsonSchema{{"required": []string{"separator"}}, {"required": []string{"words"}}, {"required": []string{"hostPort"}}}
		}
		s = jsonSchema{"if": jsonSchema{"type": "object", "required": []string{v.Name}}, "then": one, "else": s}
	}
	s["type"] = "object"
	return s
}

func (m Member) schema() jsonSchema {
	annotation := func(more jsonSchema, required ...string) jsonSchema {
		more["annotation"] = ref("text")
		return jsonSchema{"title": "an annotation", "type": "object", "additionalProperties": false, "properties": more, "required": append([]string{"annotation"}, required...)}
	}
	switch m.Shape {
	case aPath:
		return jsonSchema{"allOf": []jsonSchema{ref("path")}}
	case aName, AText, aVersion:
		return jsonSchema{"allOf": []jsonSchema{ref("text")}}
	case aBool:
		return jsonSchema{"type": "boolean"}
	case aWord:
		return jsonSchema{"enum": m.Words}
	case somePaths:
		return jsonSchema{"type": "array", "items": ref("path")}
	case someParts:
		return jsonSchema{"type": "array", "items": ref("part"), "minItems": 2, "maxItems": program.MaxParts}
	case somePairs:
		return jsonSchema{"type": "array", "minItems": 1, "items": jsonSchema{"type": "array", "minItems": 2, "maxItems": 2}}
	case someNames, someGroups:
		text := ref("text")
		if m.Shape == someGroups {
			text = jsonSchema{"type": []string{"string", "number"}}
		}
		return jsonSchema{"type": "array", "minItems": 1, "items": jsonSchema{"type": "array", "items": text, "minItems": 2, "maxItems": 2}}
	case twoTypes:
		return jsonSchema{"type": "array", "items": ref("type"), "minItems": 2, "maxItems": 2}
	case someRules:
		return jsonSchema{"type": "array", "items": ref("rule")}
	case aCondition:
		return jsonSchema{"allOf": []jsonSchema{ref("when")}}
	case AnObject:
		return jsonSchema{"type": "object"}
	case dependence:
		return jsonSchema{"anyOf": []jsonSchema{{"const": "object"}, {"type": "array", "items": ref("path")}}}
	case aRest:
		return jsonSchema{"anyOf": []jsonSchema{{"const": "stash"}, annotation(jsonSchema{"key": ref("text")}, "key")}}
	case aPartial:
		return jsonSchema{"anyOf": []jsonSchema{{"enum": []string{"stash", "leave", "refuse"}}, annotation(jsonSchema{})}}
	case aTest:
		return jsonSchema{"anyOf": []jsonSchema{ref("condition"), {"type": "array", "items": ref("condition"), "minItems": 1}}}
	case aDirection:
		return objectOf("a direction", DirectionMembers)
	case someTexts:
		return objectOf("messages", MessageMembers)
	}
	return jsonSchema{} // aValue: anything
}
