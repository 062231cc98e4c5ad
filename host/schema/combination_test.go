package schema

import "testing"

func TestCombination(t *testing.T) {
	const ab = `x-kubernetes-preserve-unknown-fields: true`
	runRulings(t, Options{}, []ruling{
		{"allOf", `{type: string, allOf: [{maxLength: 3}, {pattern: "^a"}]}`, `"bcde"`, []string{": must have at most 3 characters", `: must match the pattern "^a"`}},
		{"allOf met", `{type: string, allOf: [{maxLength: 3}, {pattern: "^a"}]}`, `"abc"`, nil},
		{"allOf, deep", `{type: object, properties: {l: {type: array, items: {type: object, properties: {a: {type: string}}}}}, allOf: [{properties: {l: {items: {properties: {a: {enum: [x]}}}}}}]}`,
			`{"l":[{"a":"x"},{"a":"y"}]}`, []string{`.l[1].a: must be one of "x"`}},
		{"allOf, required", `{type: object, properties: {a: {type: string}, b: {type: string}}, allOf: [{required: [a]}, {required: [b]}]}`, `{"a":"x"}`, []string{".b: is required"}},
		{"allOf of allOf", `{type: integer, allOf: [{allOf: [{minimum: 1}, {maximum: 0}]}]}`, `1`, []string{": must be at most 0"}},

		{"anyOf", `{type: string, anyOf: [{format: ipv4}, {format: ipv6}]}`, `"x"`, []string{": must match at least one of the 2 schemas of anyOf"}},
		{"anyOf met", `{type: string, anyOf: [{format: ipv4}, {format: ipv6}]}`, `"::1"`, nil},
		{"anyOf, fields", `{type: object, ` + ab + `, anyOf: [{required: [a]}, {required: [b, c]}]}`, `{"b":1}`, []string{": must have at least one of a, b and c"}},
		{"anyOf, fields met", `{type: object, ` + ab + `, anyOf: [{required: [a]}, {required: [b, c]}]}`, `{"b":1,"c":2}`, nil},
		{"anyOf, format demands a string", `{x-kubernetes-int-or-string: true, anyOf: [{format: ipv4}, {minimum: 7, format: ipv6}]}`, `8`, []string{": must match at least one of the 2 schemas of anyOf"}},
		{"anyOf of types", `{x-kubernetes-preserve-unknown-fields: true, anyOf: [{type: string}, {type: boolean}]}`, `1`, []string{": must match at least one of the 2 schemas of anyOf"}},

		{"oneOf, none", `{type: object, ` + ab + `, oneOf: [{required: [a]}, {required: [b]}]}`, `{"c":1}`, []string{": must have exactly one of a, b, not none"}},
		{"oneOf, two", `{type: object, ` + ab + `, oneOf: [{required: [a]}, {required: [b]}]}`, `{"a":1,"b":1}`, []string{": must have exactly one of a, b, not 2"}},
		{"oneOf met", `{type: object, ` + ab + `, oneOf: [{required: [a]}, {required: [b]}]}`, `{"b":1}`, nil},
		{"oneOf, values", `{type: integer, oneOf: [{minimum: 5}, {maximum: 9}, {multipleOf: 7}]}`, `7`, []string{": must match exactly one of the 3 schemas of oneOf, not 3"}},
		{"oneOf, union", `{type: object, properties: {kind: {type: string}, a: {type: string}}, oneOf: [{properties: {kind: {enum: [A]}}, required: [a]}, {properties: {kind: {enum: [B]}}, not: {required: [a]}}]}`,
			`{"kind":"B","a":"x"}`, []string{": must match exactly one of the 2 schemas of oneOf, not none"}},
		{"oneOf, union met", `{type: object, properties: {kind: {type: string}, a: {type: string}}, oneOf: [{properties: {kind: {enum: [A]}}, required: [a]}, {properties: {kind: {enum: [B]}}, not: {required: [a]}}]}`,
			`{"kind":"A","a":"x"}`, nil},

		{"not", `{type: string, not: {pattern: "^x"}}`, `"xy"`, []string{": must not match the schema of not"}},
		{"not met", `{type: string, not: {pattern: "^x"}}`, `"yx"`, nil},
		{"not of not", `{type: integer, not: {not: {minimum: 1}}}`, `0`, []string{": must not match the schema of not"}},
		{"not anything", `{type: integer, not: {}}`, `0`, []string{": must not match the schema of not"}},

		{"unknown fields do not count", `{type: object, properties: {a: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}`, `{"b":1}`, []string{".b: <-", ": must have exactly one of a, b, not none"}},
		{"unknown fields do not count, deep", `{type: object, properties: {a: {type: object}}, not: {properties: {a: {minProperties: 1}}}}`, `{"a":{"b":1}}`, []string{".a.b: <-"}},
		{"unknown fields in a preserved list count", `{type: array, x-kubernetes-preserve-unknown-fields: true, items: {type: object}, not: {items: {minProperties: 1}}}`, `[{"b":1}]`, []string{": must not match the schema of not"}},
		{"nulls that are dropped do not count", `{type: object, properties: {a: {type: string}}, anyOf: [{required: [a]}]}`, `{"a":null}`, []string{": must have at least one of a"}},
		{"nulls that are kept count", `{type: object, properties: {a: {type: string, nullable: true}}, anyOf: [{required: [a]}]}`, `{"a":null}`, nil},
		{"field without a shape", `{type: object, ` + ab + `, anyOf: [{properties: {a: {properties: {b: {minimum: 1}}}}}]}`, `{"a":{"b":0}}`, nil},
		{"not of null", `{type: object, properties: {a: {type: string, nullable: true, not: {}}}}`, `{"a":null}`, nil},
		{"enum in anyOf", `{type: object, properties: {a: {type: integer}}, anyOf: [{enum: [{a: 1}]}, {properties: {a: {enum: [2]}}}]}`, `{"a":3}`, []string{": must match at least one of the 2 schemas of anyOf"}},
		{"sets in anyOf", `{type: array, items: {type: integer}, anyOf: [{uniqueItems: true}, {maxItems: 2}]}`, `[1,1,2]`, []string{": must match at least one of the 2 schemas of anyOf"}},
		{"additionalProperties in not", `{type: object, additionalProperties: {type: integer}, not: {additionalProperties: {minimum: 1}}}`, `{"a":1,"b":2}`, []string{": must not match the schema of not"}},
		{"additionalProperties in not met", `{type: object, additionalProperties: {type: integer}, not: {additionalProperties: {minimum: 1}}}`, `{"a":1,"b":0}`, nil},
	})
}

func TestPartial(t *testing.T) {
	const ab = `type: object, properties: {a: {type: integer}, b: {type: integer}, l: {type: array, items: {type: integer}}}`
	runRulings(t, Options{Partial: true}, []ruling{
		{"nothing is required", `{type: object, required: [a], minProperties: 1, properties: {l: {type: array, minItems: 1, items: {type: string}}}}`, `{"l":[]}`, nil},
		{"types count", `{` + ab + `}`, `{"a":"x","c":1}`, []string{".a: must be an integer, not a string", ".c: <-"}},
		{"strings are whole", `{type: string, minLength: 1, enum: [a]}`, `""`, []string{": must have at least 1 character", `: must be one of "a"`}},
		{"too many", `{type: object, maxProperties: 1, additionalProperties: {type: string}}`, `{"a":"","b":""}`, []string{": must have at most 1 member"}},
		{"too many elements", `{type: array, maxItems: 1, items: {type: string}}`, `["a","b"]`, []string{": must have at most 1 element"}},
		{"sets", `{type: array, x-kubernetes-list-type: set, items: {type: string}}`, `["a","a"]`, []string{"[1]: repeats an earlier element, and the list is a set"}},
		{"maps", `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}}`,
			`[{"k":"a"},{},{},{"k":"a"}]`, []string{"[3]: repeats the k of an earlier element, which is the key of the list"}},
		{"enum of objects", `{` + ab + `, enum: [{a: 1}]}`, `{"b":2}`, nil},

		{"anyOf may be met elsewhere", `{` + ab + `, anyOf: [{required: [a]}, {properties: {b: {enum: [1]}}}]}`, `{"b":2}`, nil},
		{"anyOf cannot be met", `{` + ab + `, anyOf: [{properties: {a: {enum: [1]}}}, {properties: {b: {enum: [1]}}}]}`, `{"a":2,"b":2}`, []string{": must match at least one of the 2 schemas of anyOf"}},
		{"oneOf may be met elsewhere", `{` + ab + `, oneOf: [{required: [a]}, {required: [b]}]}`, `{}`, nil},
		{"oneOf may not match both", `{` + ab + `, oneOf: [{properties: {a: {enum: [1]}}}, {properties: {b: {enum: [1]}}}]}`, `{}`, nil},
		{"oneOf cannot be met", `{` + ab + `, oneOf: [{properties: {a: {enum: [1]}}}, {properties: {a: {enum: [2]}}}]}`, `{"a":3}`, []string{": must match exactly one of the 2 schemas of oneOf, not none"}},
		{"not may be met elsewhere", `{` + ab + `, not: {properties: {a: {enum: [1]}}}}`, `{"a":1}`, nil},
		{"not of scalars", `{type: string, not: {pattern: x}}`, `"x"`, []string{": must not match the schema of not"}},
		{"oneOf of scalars", `{type: string, oneOf: [{pattern: x}, {maxLength: 1}]}`, `"x"`, []string{": must match exactly one of the 2 schemas of oneOf, not 2"}},
		{"doubt goes outward", `{` + ab + `, not: {anyOf: [{not: {required: [a]}}]}}`, `{}`, nil},
		{"doubt goes outward through oneOf", `{` + ab + `, not: {oneOf: [{required: [a]}]}}`, `{}`, nil},
		{"no doubt goes outward", `{type: integer, not: {anyOf: [{not: {minimum: 1}}]}}`, `0`, []string{": must not match the schema of not"}},
		{"lists are fragments", `{` + ab + `, not: {properties: {l: {items: {minimum: 1}}}}}`, `{"l":[1]}`, nil},
		{"int or string", `{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}`, `true`, []string{": must be an integer or a string, not a boolean"}},
	})
}
