package prove

import (
	"slices"
	"strings"
	"testing"
)

// holdingTexts are rules that the lemmas prove by the patterns of texts, about values in annotations of
// rules, and for elements that are members of a map.
var holdingTexts = []fixture{
	{name: "words", specs: []string{`{s: {type: string, pattern: '^[^\t-\r ]{1,9} [!-~]{1,9}$'}, t: {type: string, enum: ["a b", "b a"]}}`,
		`{a: {type: string, pattern: '^[^\t-\r ]{1,9}$'}, b: {type: string, pattern: '^[a-z]{1,9}$'}, c: {type: string, enum: [a, b]}, d: {type: string, enum: [a, b]}}`},
		rules: "- {split: spec.s, to: [spec.a, spec.b], words: true}\n- {split: spec.t, to: [spec.c, spec.d], words: true}\n"},
	{name: "words of any number", lossy: "lossy:\n- {from: v1, to: v2, path: spec.s, reason: x}\n- {from: v2, to: v1, path: spec.a, reason: x}\n", specs: []string{`{s: {type: string, pattern: '^[a-z]+( [a-z]+)*$'}}`,
		`{a: {type: string, maxLength: 9}, b: {type: string, pattern: '^[a-z]{3}$'}}`},
		rules: "- {split: spec.s, to: [spec.a, spec.b], words: true}\n", limits: []string{refused, refused}},
	{name: "incomplete words in an annotation", specs: []string{`{s: {type: string, pattern: '^[a-z=]{1,9}( [a-z=]{1,9}){2}$'}}`,
		`{a: {type: string, pattern: '^[a-z=]{1,9}$'}, b: {type: string, pattern: '^[a-z=]{1,9}$'}, c: {type: string, pattern: '^[a-z=]+$'}}`},
		rules: "- {split: spec.s, to: [spec.a, spec.b, spec.c], words: true, partial: {annotation: conversion.example.com/s}}\n", limits: []string{refused}},
	{name: "incomplete parts in an annotation, of a required object", whole: true, specs: []string{
		`{type: object, properties: {spec: {type: object, required: [o], properties: {o: {type: object, properties: {s: {type: string, pattern: '^[a-z]{1,9}:[a-z]{1,9}$'}}}}}}}`,
		`{type: object, properties: {spec: {type: object, required: [o], properties: {o: {type: object, properties: {a: {type: string, pattern: '^[a-z]{1,9}$'}, b: {type: string, pattern: '^[a-z]{1,9}$'}}}}}}}`},
		rules: "- {split: spec.o.s, to: [spec.o.a, spec.o.b], separator: ':', partial: {annotation: conversion.example.com/s}}\n"},
	{name: "a host and a port", specs: []string{`{s: {type: string, pattern: '^([a-z.]+|\[[0-9a-f]*:[0-9a-f:]*\]):[0-9]*$'}, t: {type: string, enum: [":80", "a:", "[::1]:80"]}}`,
		`{h: {type: string, pattern: '^[0-9a-z.:]+$'}, p: {type: string, pattern: '^[0-9]+$'}, i: {type: string, enum: [a, "::1"]}, q: {type: string, enum: ["80"]}}`},
		rules: "- {split: spec.s, to: [spec.h, spec.p], hostPort: true}\n- {split: spec.t, to: [spec.i, spec.q], hostPort: true}\n"},
	{name: "parts that never refuse", specs: []string{`{s: {type: string, pattern: '^[^:]{1,9}:[^:]{0,9}$'}, t: {type: string, pattern: '/'}, u: {type: string, pattern: '^.*-[^-]*$'}}`,
		`{a: {type: string, pattern: '^[^:]{0,9}$'}, b: {type: string, enum: ["", x]}, c: {type: string, pattern: '^[a-z]{1,9}$'}, d: {type: string, maxLength: 9}, e: {type: string, maxLength: 9}, f: {type: string, pattern: '^[a-z]{0,9}$'}}`},
		rules: "- {split: spec.s, to: [spec.a, spec.b], separator: ':'}\n- {split: spec.t, to: [spec.c, spec.d], separator: /, at: first}\n- {split: spec.u, to: [spec.e, spec.f], separator: '-', at: last}\n"},
	{name: "numbers in their only spelling", specs: []string{`{n: {type: string, pattern: '^(0|-?[1-9][0-9]{0,17})$'}, m: {type: string, enum: ["7", "-7"]}}`, `{n: {type: integer}, o: {type: integer}}`},
		rules: "- {convert: spec.n, as: [string, integer], inexact: round}\n- {convert: spec.m, to: spec.o, as: [string, integer]}\n"},
	{name: "the rest of a list in an annotation", specs: []string{`{host: {type: string, maxLength: 9}, one: {type: object, properties: {a: {type: integer}}}}`,
		`{hosts: {type: array, minItems: 1, maxItems: 9, items: {type: string, maxLength: 9}}, box: {type: object, properties: {all: {type: array, minItems: 1, items: {type: object, properties: {a: {type: integer}}}}}}}`},
		rules:  "- {wrap: spec.host, to: spec.hosts, type: string, rest: {annotation: conversion.example.com/rest, key: hosts}}\n- {wrap: spec.one, to: spec.box.all, rest: {annotation: conversion.example.com/all, key: all}}\n",
		limits: []string{refused}},
	{name: "rules for elements that are members of a map", specs: []string{
		`{m: {type: object, additionalProperties: {type: object, properties: {a: {type: string}, p: {type: string, enum: [keep, delete]}, ready: {type: boolean}, hp: {type: string, pattern: '^[a-z]+:[0-9]+$'}, l: {type: array, items: {type: object, properties: {x: {type: integer}}}}}}}}`,
		`{m: {type: array, maxItems: 4, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name, ready], properties: {name: {type: string}, b: {type: object, required: [c], properties: {c: {type: string}}},
		p: {type: string, enum: [Retain, Delete]}, ready: {type: string, enum: ["True", "False", Unknown]}, h: {type: string, pattern: '^[a-z]+$'}, port: {type: string, pattern: '^[0-9]+$'}, l: {type: array, items: {type: object, properties: {y: {type: integer}}}}}}}}`},
		rules: "- listFromMap: spec.m\n  key: name\n  each:\n  - {nest: a, to: b, key: c}\n  - {translate: p, values: [[keep, Retain], [delete, Delete]]}\n  - {translate: ready, values: [[true, 'True'], [false, 'False'], [absent, Unknown]], others: refuse}\n" +
			"  - {split: hp, to: [h, port], hostPort: true}\n  - {rename: 'l[].x', to: 'l[].y'}\n", limits: []string{refused}},
	{name: "rules for members with a value that is refused, and an object", lossy: "lossy:\n- {from: v1, to: v2, path: 'spec.m.*.o', reason: x}\n", specs: []string{
		`{m: {type: object, additionalProperties: {type: object, properties: {o: {type: string, enum: ["true", "false", maybe]}, a: {type: object, properties: {x: {type: integer}}}}}}}`,
		`{m: {type: array, maxItems: 4, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, maxLength: 9}, p: {type: boolean}, b: {type: object, properties: {x: {type: integer}}}}}}}`},
		rules: "- listFromMap: spec.m\n  key: k\n  each:\n  - {convert: o, to: p, as: [string, boolean]}\n  - {rename: a, to: b}\n", limits: []string{refused}},
	{name: "values that are kept once, in many cases", specs: []string{
		`{k: {type: string, enum: [a, b, c, d, e, f]}, m: {type: string, enum: [a, b, c, d, e, f]}, p: {type: string, enum: [x, y]}, q: {type: string, enum: [x, y]}, h: {type: string, maxLength: 9}}`,
		`{k: {type: string, enum: [a, b, c, d, e, f]}, m: {type: string, enum: [a, b, c, d, e, f]}, p: {type: string, enum: [x, y]}, q: {type: string, enum: [x, y]}, l: {type: array, minItems: 1, maxItems: 40, items: {type: string, maxLength: 9}}, z: {type: string, maxLength: 400}}`},
		rules: "- {translate: spec.p, values: [[x, y], [y, x]], when: {path: spec.k, equals: a}}\n- {translate: spec.q, values: [[x, y], [y, x]], when: {path: spec.m, equals: b}}\n" +
			"- {wrap: spec.h, to: spec.l, rest: {annotation: conversion.example.com/rest, key: l}}\n- {drop: spec.z, in: v2}\n"},
	{name: "elements with a value that is required", specs: []string{`{m: {type: object, additionalProperties: {type: string, maxLength: 9}}}`,
		`{m: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k, v], properties: {k: {type: string}, v: {type: string, maxLength: 9}}}}}`},
		rules: "- {listFromMap: spec.m, key: k, value: v, optional: true}\n", limits: []string{refused}},
}

// losingTexts are rules that lose something of these kinds, each because of one condition, like losing.
var losingTexts = []fixture{
	{name: "two spaces", open: partner, specs: []string{`{s: {type: string, pattern: '^[a-z]+ +[a-z]+$'}}`, `{a: {type: string, pattern: '^[a-z]+$'}, b: {type: string, pattern: '^[a-z]+$'}}`}, rules: "- {split: spec.s, to: [spec.a, spec.b], words: true}\n",
		lossy: "lossy:\n- {from: v1, to: v2, path: spec.s, reason: x}\n"},
	{name: "a vertical tab", open: accepted, specs: []string{`{s: {type: string, pattern: '^[a-z]+ [a-z]+$'}}`, `{a: {type: string, pattern: '^\S+$'}, b: {type: string, pattern: '^[a-z]+$'}}`}, rules: "- {split: spec.s, to: [spec.a, spec.b], words: true}\n", lossless: true}, // \S is not the module's white space
	{name: "a pattern without an end", open: partner, specs: []string{`{s: {type: string, pattern: '^[a-z]+ [a-z]+'}}`, `{a: {type: string, pattern: '^[a-z]+$'}, b: {type: string, pattern: '^[a-z]+$'}}`}, rules: "- {split: spec.s, to: [spec.a, spec.b], words: true}\n",
		lossy: "lossy:\n- {from: v1, to: v2, path: spec.s, reason: x}\n"},
	{name: "more words than parts", open: accepted, specs: []string{`{s: {type: string, pattern: '^[a-z]+( [a-z]+)+$'}}`, `{a: {type: string, pattern: '^[a-z]+$'}, b: {type: string, pattern: '^[a-z]+$'}}`}, rules: "- {split: spec.s, to: [spec.a, spec.b], words: true}\n"},
	{name: "a part of two words", open: accepted, specs: []string{`{s: {type: string, pattern: '^[a-z]+ [a-z]+$'}}`, `{a: {type: string, pattern: '^[a-z]+$'}, b: {type: string, pattern: '^[a-z ]+$'}}`}, rules: "- {split: spec.s, to: [spec.a, spec.b], words: true}\n"},
	{name: "an empty host and port", open: partner, specs: []string{`{s: {type: string, enum: ["", "a:1"]}}`, `{h: {type: string, pattern: '^[a-z]+$'}, p: {type: string, pattern: '^[0-9]+$'}}`}, rules: "- {split: spec.s, to: [spec.h, spec.p], hostPort: true}\n",
		lossy: "lossy:\n- {from: v1, to: v2, path: spec.s, reason: x}\n"},
	{name: "an empty host", open: partner, specs: []string{`{s: {type: string, pattern: '^[a-z]+:[0-9]+$'}}`, `{h: {type: string, pattern: '^[a-z]*$'}, p: {type: string, pattern: '^[0-9]+$'}}`}, rules: "- {split: spec.s, to: [spec.h, spec.p], hostPort: true}\n",
		lossy: "lossy:\n- {from: v2, to: v1, path: spec.h, reason: x}\n"},
	{name: "a host without a port", open: accepted, specs: []string{`{s: {type: string, pattern: '^[a-z]+(:[0-9]+)?$'}}`, `{h: {type: string, pattern: '^[a-z]+$'}, p: {type: string, pattern: '^[0-9]+$'}}`}, rules: "- {split: spec.s, to: [spec.h, spec.p], hostPort: true}\n"},
	{name: "an address in brackets without a colon", open: accepted, specs: []string{`{s: {type: string, pattern: '^\[[0-9a-f:]+\]:[0-9]+$'}}`, `{h: {type: string, pattern: '^[0-9a-f:]+$'}, p: {type: string, pattern: '^[0-9]+$'}}`}, rules: "- {split: spec.s, to: [spec.h, spec.p], hostPort: true}\n"},
	{name: "parts with spaces in an annotation", open: partner, specs: []string{`{s: {type: string, pattern: '^[a-z ]+:[a-z]+$'}}`, `{a: {type: string, pattern: '^[a-z ]{1,9}$'}, b: {type: string, pattern: '^[a-z]{1,9}$'}}`},
		rules: "- {split: spec.s, to: [spec.a, spec.b], separator: ':', partial: {annotation: conversion.example.com/s}}\n"},
	{name: "an annotation that is a user's", open: kept, specs: []string{`{host: {type: string, maxLength: 9}}`, `{hosts: {type: array, minItems: 1, maxItems: 3, items: {type: string, maxLength: 9}}}`},
		rules: "- {wrap: spec.host, to: spec.hosts, rest: {annotation: example.com/rest, key: hosts}}\n"},
	{name: "a part with the name of no word", open: known, specs: []string{`{s: {type: string, pattern: '^[a-z]+ [a-z]+$'}}`, `{a=b: {type: string, pattern: '^[a-z]{1,9}$'}, b: {type: string, pattern: '^[a-z]{1,9}$'}}`},
		rules: "- {split: spec.s, to: [\"spec['a=b']\", spec.b], words: true, partial: {annotation: conversion.example.com/s}}\n"},
	{name: "an object around parts in an annotation", open: stays, specs: []string{`{o: {type: object, properties: {s: {type: string, pattern: '^[a-z]+ [a-z]+$'}}}}`, `{o: {type: object, properties: {a: {type: string, pattern: '^[a-z]{1,9}$'}, b: {type: string, pattern: '^[a-z]{1,9}$'}}}}`},
		rules: "- {split: spec.o.s, to: [spec.o.a, spec.o.b], words: true, partial: {annotation: conversion.example.com/s}}\n", lossless: true}, // TestPartsAroundDeletedObject
	{name: "a spec with defaults around parts in an annotation", open: defaults, specs: []string{`{n: {type: integer, default: 1}, s: {type: string, pattern: '^[a-z]+ [a-z]+$'}}`, `{n: {type: integer, default: 1}, a: {type: string, pattern: '^[a-z]{1,9}$'}, b: {type: string, pattern: '^[a-z]{1,9}$'}}`},
		rules: "- {split: spec.s, to: [spec.a, spec.b], words: true, partial: {annotation: conversion.example.com/s}}\n"},
	{name: "an empty list whose rest is in an annotation", open: partner, specs: []string{`{host: {type: string, maxLength: 9}}`, `{hosts: {type: array, maxItems: 3, items: {type: string, maxLength: 9}}}`},
		rules: "- {wrap: spec.host, to: spec.hosts, rest: {annotation: conversion.example.com/rest, key: hosts}}\n"},
	{name: "zeros before a number that is not kept", open: known, specs: []string{`{n: {type: string, pattern: '^[0-9]{1,9}$'}}`, `{n: {type: integer}}`}, rules: "- {convert: spec.n, as: [string, integer], inexact: round}\n",
		lossy: "lossy:\n- {from: v1, to: v2, path: spec.n, reason: x}\n"},
	{name: "more digits than an integer", open: accepted, specs: []string{`{n: {type: string, enum: ["9223372036854775808"]}}`, `{n: {type: integer}}`}, rules: "- {convert: spec.n, as: [string, integer]}\n"},
	{name: "a field of members of a map that has to be kept", open: kept, specs: []string{`{m: {type: object, additionalProperties: {type: object, properties: {p: {type: string, enum: [a, x]}}}}}`,
		`{m: {type: array, maxItems: 4, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, maxLength: 9}, p: {type: string, enum: [x]}}}}}`},
		rules: "- listFromMap: spec.m\n  key: k\n  each:\n  - {translate: p, values: [[a, x]]}\n"},
	{name: "a field of members of a map that moves", open: known, specs: []string{`{m: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}}`,
		`{m: {type: array, maxItems: 4, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, maxLength: 9}, o: {type: object, required: [b], properties: {b: {type: string}}}}}}}`},
		rules: "- listFromMap: spec.m\n  key: k\n  each:\n  - {move: a, to: o.b}\n", lossless: true},
	{name: "elements whose value may be absent", open: known, lossy: "lossy:\n- {from: v2, to: v1, path: 'spec.m[]', reason: x}\n", specs: []string{`{m: {type: object, additionalProperties: {type: string}}}`,
		`{m: {type: array, maxItems: 4, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, maxLength: 9}, v: {type: string, maxLength: 9}}}}}`},
		rules: "- {listFromMap: spec.m, key: k, value: v, optional: true}\n", lossless: true}, // TestNullIsNoEdit has why nulls of members are not relied on
}

// TestPartsAroundDeletedObject shows why the object around a text has to stay if an annotation keeps
// incomplete parts: it comes back with them after a client has deleted it.
func TestPartsAroundDeletedObject(t *testing.T) {
	f := losingTexts[slices.IndexFunc(losingTexts, func(f fixture) bool { return f.name == "an object around parts in an annotation" })]
	file, d := f.parsed(t)
	v1 := passed(t, file, d, "v2", "v1", `{"o":{"a":"x"}}`)
	if back := passed(t, file, d, "v1", "v2", strings.Replace(v1, `"o":{}`, "", 1)); !strings.Contains(back, `"spec":{"o":{"a":"x"}}`) {
		t.Errorf("%s, %s", v1, back)
	}
}
