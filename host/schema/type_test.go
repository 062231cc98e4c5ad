package schema

import "testing"

func TestType(t *testing.T) {
	const any = `{"o":{},"a":[],"s":"","i":1,"f":1.5,"b":true,"z":null}`
	each := func(schema string) string {
		return `{type: object, properties: {o: ` + schema + `, a: ` + schema + `, s: ` + schema + `, i: ` + schema + `, f: ` + schema + `, b: ` + schema + `, z: ` + schema + `}}`
	}
	const (
		o, a, s, i, f, b = "an object", "an array", "a string", "a number", "a number", "a boolean"
	)
	must := func(what string, wrong ...string) []string {
		var list []string
		for _, name := range wrong {
			is := map[string]string{"o": o, "a": a, "s": s, "i": i, "f": f, "b": b}[name]
			if name == "f" && (what == "an integer" || what == "an integer or a string") {
				is = "a number with a fraction or beyond 2^53"
			}
			list = append(list, "."+name+": must be "+what+", not "+is)
		}
		return list
	}
	runRulings(t, Options{}, []ruling{
		{"object", each(`{type: object}`), any, must("an object", "a", "s", "i", "f", "b")},
		{"array", each(`{type: array, items: {type: string}}`), any, must("an array", "o", "s", "i", "f", "b")},
		{"string", each(`{type: string}`), any, must("a string", "o", "a", "i", "f", "b")},
		{"integer", each(`{type: integer}`), any, must("an integer", "o", "a", "s", "f", "b")},
		{"number", each(`{type: number}`), any, must("a number", "o", "a", "s", "b")},
		{"boolean", each(`{type: boolean}`), any, must("a boolean", "o", "a", "s", "i", "f")},
		{"int or string", each(`{x-kubernetes-int-or-string: true}`), any, must("an integer or a string", "o", "a", "f", "b")},
		{"int or string, anyOf", each(`{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}`), any, must("an integer or a string", "o", "a", "f", "b")},
		{"int or string, allOf", each(`{x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: integer}, {type: string}]}, {pattern: "^$"}]}`), any, must("an integer or a string", "o", "a", "f", "b")},
		{"anything", each(`{x-kubernetes-preserve-unknown-fields: true}`), any, nil},
	})
}

func TestInteger(t *testing.T) {
	const fraction = ": must be an integer, not a number with a fraction or beyond 2^53"
	var cases []ruling
	for _, number := range []string{"0", "-0", "1", "-1", "9007199254740993", "-9223372036854775808", "1.0", "-2.000", "1e3", "1.5e1", "0.0", "9007199254740991.0", "0e5"} {
		cases = append(cases, ruling{number, `{type: integer}`, number, nil})
	}
	for _, number := range []string{"0.5", "1e-1", "1.00000000001", "9007199254740992.0", "1e17", "9223372036854775808", "-100000000000000000000", "-1e300", "15e-1", "2.0000000001"} {
		cases = append(cases, ruling{number, `{type: integer}`, number, []string{fraction}})
	}
	runRulings(t, Options{}, cases)
}

func TestNull(t *testing.T) {
	runRulings(t, Options{}, []ruling{
		{"dropped", `{type: object, properties: {a: {type: string}}}`, `{"a":null}`, nil},
		{"dropped, so absent", `{type: object, required: [a], minProperties: 1, properties: {a: {type: string}}}`, `{"a":null}`,
			[]string{".a: is required", ": must have at least 1 member"}},
		{"nullable", `{type: object, required: [a], properties: {a: {type: string, nullable: true}}}`, `{"a":null}`, nil},
		{"nullable has no value to check", `{type: object, properties: {a: {type: string, nullable: true, minLength: 1, anyOf: [{pattern: a}], not: {maxLength: 1}}}}`, `{"a":null}`, nil},
		{"default keeps it", `{type: object, properties: {a: {type: string, default: x}}}`, `{"a":null}`, []string{".a: must be a string, not null"}},
		{"default null", `{type: object, properties: {a: {type: string, default: null}}}`, `{"a":null}`, nil},
		{"in a list", `{type: array, items: {type: string}}`, `[null]`, []string{"[0]: must be a string, not null"}},
		{"in a list, nullable", `{type: array, items: {type: string, nullable: true}}`, `[null]`, nil},
		{"in a map", `{type: object, minProperties: 1, additionalProperties: {type: string}}`, `{"a":null}`, []string{": must have at least 1 member"}},
		{"in a map, nullable", `{type: object, minProperties: 1, additionalProperties: {type: string, nullable: true}}`, `{"a":null}`, nil},
		{"preserved", `{type: object, minProperties: 1, x-kubernetes-preserve-unknown-fields: true}`, `{"a":null}`, nil},
		{"known and preserved", `{type: object, minProperties: 1, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}`, `{"a":null}`,
			[]string{": must have at least 1 member"}},
		{"enum", `{type: string, nullable: true, enum: [a, null]}`, `null`, []string{`: must be one of "a", null`}},
		{"unknown", `{type: object}`, `{"a":null}`, []string{".a: <-"}},
		{"spec", `{type: object, required: [a]}`, `null`, nil},
	})
}

// TestUnpruned is about definitions from before structural schemas, which may keep everything.
func TestUnpruned(t *testing.T) {
	crd := parse(t, []byte(withSpec(`{type: object, required: [a], properties: {a: {type: string}}}`)+"  preserveUnknownFields: true\n"))
	got := violations(t, crd, `{"x":1,"spec":{"a":null,"b":{"c":[{"d":1}]}}}`, Options{})
	if len(got) != 1 || got[0] != "spec.a: must be a string, not null" {
		t.Errorf("%q", got)
	}
}
