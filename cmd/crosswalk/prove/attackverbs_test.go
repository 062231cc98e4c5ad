package prove

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// ruleForElements makes a rule about the elements of a list, or the members of a map, themselves.
func (a *attack) ruleForElements(into [2]schemaMap, prefix string) []string {
	name, v := a.name(), a.value(1)
	at := prefix + name + "[]"
	list := func(items schemaMap) schemaMap { return schemaMap{"type": "array", "maxItems": 4, "items": items} }
	if a.IntN(3) == 0 {
		at = prefix + name + ".*"
		list = func(items schemaMap) schemaMap { return schemaMap{"type": "object", "additionalProperties": items} }
	}
	a.accepts(at, at)
	text := schemaMap{"type": "string", "enum": []any{"a", "b", "a,b", "x", "7"}[:2+a.IntN(4)]}
	object := objectSchema(schemaMap{"k": v})
	if a.IntN(2) == 0 {
		object["required"] = []any{"k"}
	}
	if a.IntN(3) == 0 {
		object["properties"].(schemaMap)["l"] = a.value(0)
	}
	one, two, rule := v, object, fmt.Sprintf("- {nest: '%s', key: k}\n", at)
	switch a.IntN(7) {
	case 0:
		one, two, rule = object, v, fmt.Sprintf("- {unnest: '%s', key: k}\n", at)
	case 1:
		one, two, rule = v, schemaMap{"type": "array", "minItems": a.IntN(2), "maxItems": 1 + a.IntN(2), "items": v}, fmt.Sprintf("- {wrap: '%s'}\n", at)
	case 2:
		one, two, rule = text, text, fmt.Sprintf("- {translate: '%s', values: %s}\n", at, choose(a, "[[a, b], [b, a]]", "[[a, x]]", "[[a, x], [b, x]], merge: true", "[[a, absent]]"))
	case 3:
		one, two, rule = text, schemaMap{"type": "integer"}, fmt.Sprintf("- {convert: '%s', as: [string, integer]}\n", at)
	case 4:
		one, two, rule = text, schemaMap{"type": "array", "items": schemaMap{"type": "string"}}, fmt.Sprintf("- {splitList: '%s', separator: ','}\n", at)
	case 5:
		one = schemaMap{"type": "object", "additionalProperties": v}
		two, rule = one, fmt.Sprintf("- {renameKeys: '%s', values: [[a, b]]}\n", at)
		a.accepts(at+".*", at+".*")
	}
	into[0][name], into[1][name] = list(one), list(two)
	return []string{rule}
}

var elements = regexp.MustCompile(`^- \{(\w+): '([\w.]+?)(\[\]|\.\*)\.(.*)\n$`)

// inBlocks writes some rules about elements as rules of a list of their own.
func (a *attack) inBlocks(text []string) []string {
	for i, one := range text {
		m := elements.FindStringSubmatch(one)
		if m == nil || a.IntN(4) > 0 {
			continue
		}
		more := ""
		if m[3] == ".*" {
			more = "\n  map: true"
		}
		text[i] = fmt.Sprintf("- each: %s%s\n  rules:\n  - {%s: '%s\n", m[2], more, m[1], strings.ReplaceAll(m[4], "'"+m[2]+m[3]+".", "'"))
	}
	return text
}

// oneLine writes the rules in one line, perhaps.
func (a *attack) oneLine(text string) string {
	if a.IntN(8) > 0 || text == "" || strings.Contains(text, "\n  ") {
		return text
	}
	var all []string
	for line := range strings.Lines(text) {
		all = append(all, strings.TrimSuffix(strings.TrimPrefix(line, "- "), "\n"))
	}
	return "  [" + strings.Join(all, ", ") + "]\n"
}

// elsewhere brings the rules and schemas from spec to status, or adds a rule about a member at the top,
// perhaps.
func (a *attack) elsewhere(f fixture) fixture {
	switch a.IntN(10) {
	case 0:
		move := func(s string) string { return strings.ReplaceAll(s, "spec", "status") }
		f.rules, f.lossy = move(f.rules), move(f.lossy)
		for i := range f.specs {
			f.specs[i] = move(f.specs[i])
		}
	case 1:
		if strings.HasPrefix(f.rules, "- ") {
			f.rules += "- {rename: data, to: info}\n"
			for i, name := range []string{"data", "info"} {
				f.specs[i] = strings.Replace(f.specs[i], `"properties":{`, `"properties":{"`+name+`":{"type":"string"},`, 1)
			}
		}
	}
	return f
}

// twin adds a version that is like one of two.
func (a *attack) twin(f fixture) fixture {
	if a.IntN(2) == 0 {
		f.specs, f.rules = []string{f.specs[0], f.specs[1], f.specs[1]}, f.rules+"---\n"
		return f
	}
	up := strings.NewReplacer("in: v1", "in: v2", "in: v2", "in: v3", "to: v2", "to: v3", "from: v1", "from: v2", "from: v2", "from: v3", "to: v1", "to: v2")
	f.specs, f.rules, f.lossy = []string{f.specs[0], f.specs[0], f.specs[1]}, "---\n"+up.Replace(f.rules), up.Replace(f.lossy)
	return f
}

// addedRule gives a field that both versions have a rule: a table, names of keys, a condition for
// elements, or one direction.
func (a *attack) addedRule(file, conversion schemaMap, schemas [2]schemaMap) string {
	at, path := schemas, ""
	for range 1 + a.IntN(6) {
		inner := [2]map[string]schemaMap{innerOf(at[0]), innerOf(at[1])}
		var names []string
		for _, name := range slices.Sorted(maps.Keys(inner[0])) {
			if inner[1][name] != nil && !strings.ContainsAny(name, ". /") {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			break
		}
		name := choose(a, names...)
		at = [2]schemaMap{inner[0][name], inner[1][name]}
		if name != "[]" && path != "" {
			path += "."
		}
		path += name
	}
	if !strings.Contains(path, ".") {
		return "nothing"
	}
	versions := []string{conversion["from"].(string), conversion["to"].(string)}
	accept := func(path string) {
		lossy, _ := file["lossy"].([]any)
		for side := range versions {
			lossy = append(lossy, schemaMap{"from": versions[side], "to": versions[1-side], "path": path, "reason": "x"})
		}
		file["lossy"] = lossy
	}
	var rule schemaMap
	items, _ := at[0]["items"].(schemaMap)
	members := slices.Sorted(maps.Keys(innerOf(items)))
	switch {
	case a.IntN(8) == 0 && !strings.HasSuffix(path, "[]") && !strings.HasSuffix(path, "*"):
		rule = schemaMap{"rename": path, "to": path + "2", "oneWay": schemaMap{"to": choose(a, versions...), "reason": "x"}}
	case at[0]["additionalProperties"] != nil:
		rule = schemaMap{"renameKeys": path, "values": []any{[]any{"a", "b"}}, "prefix": a.IntN(2) == 0}
		accept(path + ".*")
	case len(members) > 0 && members[0] != "[]" && members[0] != "*":
		where := schemaMap{"path": choose(a, members...)}
		if enum, ok := innerOf(items)[where["path"].(string)]["enum"].([]any); ok && a.IntN(2) == 0 {
			where["equals"] = enum[0]
		} else {
			where["exists"] = a.IntN(2) == 0
		}
		rule = schemaMap{"skip": path, "in": choose(a, versions...), "where": where}
	case at[0]["type"] == "string":
		rule = schemaMap{"translate": path, "merge": true, "values": []any{[]any{"a", "b"}, []any{"c", "b"}}}
		if enum, ok := at[0]["enum"].([]any); ok && len(enum) > 1 {
			rule["values"] = []any{[]any{enum[0], enum[1]}, []any{choose(a, enum...), choose(a, enum...)}}
		}
	case at[0]["type"] == "boolean":
		rule = schemaMap{"translate": path, "merge": true, "values": []any{[]any{true, false}, []any{false, choose[any](a, true, false)}}}
	default:
		return "nothing"
	}
	list, _ := conversion["rules"].([]any)
	conversion["rules"] = append(slices.Clone(list), rule)
	return fmt.Sprintf("with %v", rule)
}
