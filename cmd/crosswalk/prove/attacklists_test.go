package prove

import (
	"fmt"
	"strings"
)

// accepts adds entries of lossy for a field of each version; mostly.
func (a *attack) accepts(here, there string) {
	if a.IntN(5) > 0 {
		a.lossy += fmt.Sprintf("- {from: v1, to: v2, path: '%s', reason: x}\n- {from: v1, to: v2, path: '%s.*', reason: x}\n", here, here)
	}
	if a.IntN(5) > 0 {
		a.lossy += fmt.Sprintf("- {from: v2, to: v1, path: '%s', reason: x}\n- {from: v2, to: v1, path: '%s.*', reason: x}\n", there, there)
	}
}

// ruleForLists makes a rule about lists, maps, tables or conditions, and its fields x of v1 and y of v2.
func (a *attack) ruleForLists(into [2]schemaMap, prefix, x, y, there string) []string {
	here := prefix + x
	text := func() schemaMap {
		return choose(a, schemaMap{"type": "string"}, schemaMap{"type": "string", "maxLength": 5}, schemaMap{"type": "string", "enum": []any{"a", "b", "a,b"}[:2+a.IntN(2)]})
	}
	put := func(one, two schemaMap, rule string) []string {
		if a.IntN(4) > 0 || rule == "" {
			a.accepts(here, there)
		}
		into[0][x], into[1][y] = one, two
		return []string{rule}
	}
	separator := choose(a, ",", ",", ":", "::")
	switch a.IntN(7) {
	case 0:
		list := schemaMap{"type": "array", "items": text()}
		if a.IntN(2) == 0 {
			return put(text(), list, fmt.Sprintf("- {splitList: '%s', to: '%s', separator: '%s'%s}\n", here, there, separator, choose(a, "", ", unfit: stash")))
		}
		return put(list, text(), fmt.Sprintf("- {joinList: '%s', to: '%s', separator: '%s'%s}\n", here, there, separator, choose(a, "", ", unfit: stash")))
	case 1:
		v := a.value(1)
		element := objectSchema(schemaMap{"k": schemaMap{"type": "string"}, "v": v}, "k", "v")
		whole, value := schemaMap{"type": "object", "additionalProperties": v}, ", value: v"
		if a.IntN(3) == 0 {
			whole, value = schemaMap{"type": "object", "additionalProperties": objectSchema(schemaMap{"v": v})}, ""
		}
		if a.IntN(4) == 0 {
			element["required"] = []any{"k"}
		}
		list := schemaMap{"type": "array", "maxItems": 9, "items": element}
		if a.IntN(3) > 0 {
			list["x-kubernetes-list-type"], list["x-kubernetes-list-map-keys"] = "map", []any{"k"}
		}
		if a.IntN(2) == 0 {
			return put(whole, list, fmt.Sprintf("- {listFromMap: '%s', to: '%s', key: k%s%s}\n", here, there, value, choose(a, "", ", unfit: stash")))
		}
		return put(list, whole, fmt.Sprintf("- {mapFromList: '%s', to: '%s', key: k%s%s}\n", here, there, value, choose(a, "", ", unfit: stash")))
	case 2: // into fields beside the text
		z, at := a.name(), there[:strings.LastIndex(there, ".")+1]
		into[1][z] = text()
		a.accepts(here, at+z)
		return put(text(), text(), fmt.Sprintf("- {split: '%s', to: ['%s', '%s%s'], separator: '%s', at: %s%s}\n", here, there, at, z, separator, choose(a, "every", "first", "last"), choose(a, "", ", unfit: stash")))
	case 3:
		return a.conditional(into, prefix, x, y)
	case 4:
		v := a.value(1)
		one := schemaMap{"type": "object", "additionalProperties": v}
		pairs := choose(a, "[[a, b]]", "[[a, b], [b, a]]", "[[a, b], [c, d]]", "[[a, b], [b, c]]", "[[a, x], [b, b]], prefix: true")
		return put(one, schemaMap{"type": "object", "additionalProperties": v}, fmt.Sprintf("- {renameKeys: '%s', to: '%s', values: %s}\n", here, there, pairs))
	case 5:
		side := a.IntN(2)
		element := func(name string) schemaMap {
			return schemaMap{"type": "array", "maxItems": 6, "items": objectSchema(schemaMap{"k": schemaMap{"type": "string", "enum": []any{"a", "b"}}, name: schemaMap{"type": "integer"}})}
		}
		one, two := element("m"), element("n")
		extra := ""
		if a.IntN(2) == 0 {
			one["items"].(schemaMap)["properties"].(schemaMap)["z"] = a.orNull(a.value(1))
			extra = "\n  - {drop: z, in: v1}"
		}
		return put(one, two, fmt.Sprintf("- skip: '%s'\n  to: '%s'\n  in: v%d\n  where: {path: %s}\n  each:\n  - {rename: m, to: n}%s\n", here, there, side+1, choose(a, "k, equals: a", "k, exists: true", "k, exists: false", "m, in: [0, 1]", "n, exists: true"), extra))
	}
	if a.IntN(2) == 0 {
		return put(schemaMap{"type": "string", "enum": []any{"apps/v1", "apps/v2", "v1", "x/v1", "bad/"}[:2+a.IntN(4)]}, schemaMap{"type": "string", "enum": []any{"apps", "x", "y"}[:1+a.IntN(3)]},
			fmt.Sprintf("- {convert: '%s', to: '%s', as: [apiVersion, apiGroup], versions: %s%s}\n", here, there, choose(a, "[[apps, v1]]", "[[apps, v1], [x, v2], ['', v1]]"), choose(a, "", "", ", inexact: round")))
	}
	right := schemaMap{"type": "string", "enum": []any{"x", "y", "a", "z"}[:2+a.IntN(3)]}
	if a.IntN(2) == 0 {
		right["default"] = "x"
	}
	return put(schemaMap{"type": "string", "enum": []any{"a", "b", "c", "x"}[:2+a.IntN(3)]}, right,
		fmt.Sprintf("- {translate: '%s', to: '%s', merge: true, values: %s}\n", here, there, choose(a, "[[a, x], [b, x]]", "[[a, x], [absent, x]]", "[[absent, x], [a, x], [b, y]]", "[[a, x], [b, x], [b, y]]", "[[x, a], [a, x], [b, x]]")))
}

// conditional makes rules for the cases of a field of both versions: a field has two names in v2, and each
// version keeps what the other one does not have in a case.
func (a *attack) conditional(into [2]schemaMap, prefix, x, y string) []string {
	test, z, v := a.name(), a.name(), a.value(1)
	tested := choose(a, schemaMap{"type": "string", "enum": []any{"a", "b", "c"}}, schemaMap{"type": "string"}, schemaMap{"type": "boolean"})
	value := "a"
	if tested["type"] == "boolean" {
		value = "true"
	}
	for side := range into {
		copied := schemaMap{}
		for key, one := range tested {
			copied[key] = one
		}
		into[side][test] = copied
	}
	at := prefix + test
	is, not := fmt.Sprintf("{path: %s, equals: %s}", at, value), fmt.Sprintf("{path: %s, equals: %s, not: true}", at, value)
	on := choose(a, ", for: ["+at+"]", ", for: ["+at+"]", ", for: ["+at+"]", "", ", for: object")
	into[0][x], into[1][y] = v, v
	all := []string{fmt.Sprintf("- {rename: '%s%s', to: '%s%s', when: %s}\n", prefix, x, prefix, y, is)}
	drop := func(side int, name, when string) {
		all = append(all, fmt.Sprintf("- {drop: '%s%s', in: v%d, when: %s%s}\n", prefix, name, side+1, when, on))
	}
	drop(1, y, not)
	switch a.IntN(3) {
	case 0:
		drop(0, x, not)
	case 1:
		into[1][z] = v
		all = append(all, fmt.Sprintf("- {rename: '%s%s', to: '%s%s', when: %s}\n", prefix, x, prefix, z, not))
		drop(1, z, is)
	default:
		into[0][z] = v
		drop(0, x, not)
		drop(0, z, not)
		into[1][z] = v
		drop(1, z, not)
	}
	return all
}
