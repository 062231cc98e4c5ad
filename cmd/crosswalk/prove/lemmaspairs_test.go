package prove

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// losingPairs are rules that lose something because of a rule or a default beside the rule, each because
// of one condition, like losing.
var losingPairs = []fixture{
	{name: "a table without values", open: partner, specs: []string{`{p: {type: object, properties: {x: {type: string}}}}`, `{q: {type: object, properties: {y: {type: string}}}}`}, rules: "- {translate: spec.p, to: spec.q, values: [[absent, absent]]}\n"},
	{name: "elements that a default omits", open: defaults, specs: []string{`{l: {type: array, items: {type: object, properties: {a: {type: string}, k: {type: string, default: y}}}}}`, `{l: {type: array, items: {type: object, properties: {a: {type: string}}}}}`},
		rules: "- skip: spec.l\n  in: v1\n  where: {path: k, equals: y}\n  each:\n  - {drop: k, in: v1}\n"},
	{name: "a default beside a kept value, in elements", open: defaults, specs: []string{`{l: {type: array, items: {type: object, properties: {a: {type: string}, n: {type: integer}}}}}`, `{l: {type: array, items: {type: object, properties: {a: {type: string}, z: {type: integer, default: 1}}}}}`},
		rules: "- {drop: 'spec.l[].n', in: v1}\n- {drop: 'spec.l[].z', in: v2}\n"},
	{name: "a default within for", open: defaults, specs: []string{`{in: {type: object, properties: {b: {type: string}, m: {type: integer, default: 1}}}}`, `{in: {type: object, properties: {b: {type: string}, n: {type: integer}}}}`},
		rules: "- {drop: spec.in.n, in: v2, for: [spec.in]}\n- {drop: spec.in.m, in: v1, for: [spec.in]}\n"},
	{name: "a default of the object", open: defaults, specs: []string{`{b: {type: string}, m: {type: integer, default: 1}}`, `{b: {type: string}, n: {type: integer}}`}, rules: "- {drop: spec.n, in: v2, for: object}\n- {drop: spec.m, in: v1}\n"},
	{name: "a default beside a nested value", open: defaults, specs: []string{`{l: {type: array, items: {type: object, properties: {a: {type: string}, n: {type: integer}}}}}`,
		`{l: {type: array, items: {type: object, properties: {o: {type: object, required: [k], properties: {k: {type: string}, z: {type: integer, default: 5}}}}}}}`},
		rules: "- {nest: 'spec.l[].a', to: 'spec.l[].o', key: k}\n- {drop: 'spec.l[].n', in: v1}\n"},
	{name: "an exchange with conditions, in one line", open: always, specs: []string{`{on: {type: boolean}, a: {type: string}, b: {type: string}}`, `{on: {type: boolean}, a: {type: string}, b: {type: string}}`},
		rules: "  [{rename: spec.a, to: spec.b, when: {path: spec.on, equals: true}}, {rename: spec.b, to: spec.a, when: {path: spec.on, equals: true}}]\n"},
	{name: "a condition around a rule that keeps", open: always, specs: []string{`{type: {type: string, enum: [x, y]}, l: {type: array, items: {type: object, properties: {n: {type: string, enum: [a, b, c]}}}}}`,
		`{type: {type: string, enum: [x, y]}, l: {type: array, items: {type: object, properties: {n: {type: string, enum: [a, b]}}}}}`},
		rules: "- each: spec.l\n  when: {path: spec.type, equals: x}\n  rules:\n  - {translate: n, merge: true, values: [[a, b], [c, b]]}\n", lossless: true}, // TestConditionAroundKeptValue
	{name: "a condition for a table that refuses others", open: always, specs: []string{`{type: {type: string, enum: [x, y]}, p: {type: string, enum: [a, c]}}`, `{type: {type: string, enum: [x, y]}, p: {type: string, enum: [b]}}`},
		rules: "- {translate: spec.p, merge: true, others: refuse, values: [[a, b], [c, b]], when: {path: spec.type, equals: x}}\n", lossless: true}, // an API server refuses the object with the other condition
	{name: "an edit to null in a kept list", open: null, specs: slices.Repeat([]string{`{l: {type: array, items: {type: object, properties: {a: {type: string, nullable: true}, k: {type: string, enum: [x, y]}}}}}`}, 2),
		rules: "- skip: spec.l\n  in: v1\n  where: {path: k, equals: y}\n", lossless: true}, // TestNullIsNoEdit
	{name: "a null element of no type", open: null, specs: []string{`{u: {type: array, items: {x-kubernetes-preserve-unknown-fields: true}}}`, `{u: {type: array, items: {type: object, required: [name], properties: {name: {x-kubernetes-preserve-unknown-fields: true}}}}}`},
		rules: "- each: spec.u\n  rules:\n  - {nest: ., key: name}\n", lossless: true}, // TestNullElement
	{name: "a field within a nested value", open: stays, specs: []string{`{h: {type: object, properties: {y: {type: string}}}}`, `{t: {type: object, required: [h], properties: {h: {type: object, properties: {x: {type: string}, y: {type: string}}}}}}`},
		rules: "- {nest: spec.h, to: spec.t, key: h}\n- {drop: spec.t.h.x, in: v2}\n", lossless: true}, // TestFieldWithinNestedValue
	{name: "two lists of rules for an object of both", open: around, specs: []string{`{l: {type: array, items: {type: object, properties: {a: {type: integer}, box: {type: object, properties: {n: {type: integer}}}}}}}`,
		`{l: {type: array, items: {type: object, properties: {box: {type: object, properties: {a: {type: integer}}}}}}}`},
		rules: "- {drop: 'spec.l[].box.n', in: v1}\n- each: spec.l\n  rules:\n  - {move: a, to: box.a}\n"},
	{name: "an object whose fields are dropped one by one", open: around, specs: []string{`{a: {type: string}}`, `{a: {type: string}, box: {type: object, properties: {n: {type: integer}, m: {type: integer}}}}`},
		rules: "- {drop: spec.box.n, in: v2}\n- {drop: spec.box.m, in: v2}\n"},
	{name: "an exchange by two lists of rules", open: one, specs: slices.Repeat([]string{`{l: {type: array, items: {type: object, properties: {a: {type: string}, b: {type: string}}}}}`}, 2),
		rules: "- each: spec.l\n  rules:\n  - {rename: a, to: b}\n- {rename: 'spec.l[].b', to: 'spec.l[].a'}\n"},
	{name: "empty lists among elements", open: outside, specs: []string{`{l: {type: array, items: {type: boolean}}}`, `{l: {type: array, items: {type: array, items: {type: boolean}, maxItems: 1}}}`}, rules: "- {wrap: 'spec.l[]'}\n"},
	{name: "a field of elements that depends on nothing", open: outside, specs: []string{`{l: {type: array, items: {type: object, properties: {a: {type: string}}}}}`, `{l: {type: array, items: {type: object, properties: {a: {type: string}, n: {type: integer}}}}}`},
		rules: "- {drop: 'spec.l[].n', in: v2, for: []}\n", lossless: true}, // as TestOutside
	{name: "a field of elements of the status that depends on the object", open: outside, whole: true, specs: []string{`{type: object, properties: {status: {type: object, properties: {l: {type: array, items: {type: object, properties: {a: {type: string}}}}}}}}`,
		`{type: object, properties: {status: {type: object, properties: {l: {type: array, items: {type: object, properties: {a: {type: string}, n: {type: integer}}}}}}}}`},
		rules: "- {drop: 'status.l[].n', in: v2, for: object}\n", lossless: true},
	{name: "a default with another name in an object that comes back", open: defaults, whole: true, specs: []string{
		`{type: object, properties: {data: {type: string}, spec: {type: object, properties: {a: {type: string, enum: [a, b]}}}}}`,
		`{type: object, properties: {info: {type: string}, spec: {type: object, properties: {c: {type: string, enum: [x, y], default: x}, n: {type: integer}}}}}`},
		rules: "- {rename: data, to: info}\n- {translate: spec.a, to: spec.c, merge: true, values: [[a, x], [absent, x]]}\n- {drop: spec.n, in: v2}\n"},
	{name: "a member at the top with another name", open: defaults, whole: true, specs: []string{
		`{type: object, properties: {data: {type: string}, spec: {type: object, required: [in], properties: {a: {type: string}, in: {type: object, properties: {b: {type: string, default: x}}}}}}}`,
		`{type: object, properties: {info: {type: string}, spec: {type: object, required: [in], properties: {c: {type: string}, in: {type: object, properties: {b: {type: string, default: x}, n: {type: integer}}}}}}}`},
		rules: "- {rename: data, to: info}\n- {rename: spec.a, to: spec.c}\n- {drop: spec.in.n, in: v2}\n"},
}

// TestNumbersWrittenInTwoWays tests that 1 and 1.0 are one value of a table: the stash keeps a value that
// shares it.
func TestNumbersWrittenInTwoWays(t *testing.T) {
	f := fixture{specs: []string{`{p: {type: integer}}`, `{q: {type: integer}}`}, rules: "- {translate: spec.p, to: spec.q, merge: true, values: [[1, 5], [1.0, 6]]}\n"}
	file, d := f.parsed(t)
	if back := passed(t, file, d, "v1", "v2", passed(t, file, d, "v2", "v1", `{"q":6}`)); !strings.Contains(back, `"q":6`) {
		t.Errorf("%s", back)
	}
}

// TestPathsWithDots tests that the paths spec['x.y'] and spec.x.y are two.
func TestPathsWithDots(t *testing.T) {
	list := `{type: array, items: {type: object, properties: {%s: {type: string}}}}`
	f := fixture{rules: "- each: spec['x.y']\n  to: spec.x.y\n  rules:\n  - {rename: a, to: b}\n"}
	for _, name := range []string{"a", "b"} {
		f.specs = append(f.specs, `{x.y: `+fmt.Sprintf(list, name)+`, x: {type: object, properties: {y: `+fmt.Sprintf(list, "a")+`}}}`)
	}
	file, d := f.parsed(t)
	if len(Decide(file, d).Open) == 0 {
		t.Error("proved")
	}
	if len(losses(t, file, f.crd(t), 500, false)) == 0 {
		t.Error("fuzz finds no loss")
	}
}

// TestNullIsNoEdit shows why null is a condition of values that replace others: an absent member and a
// null have one hash, so the converter does not see the edit.
func TestNullIsNoEdit(t *testing.T) {
	f := losingPairs[slices.IndexFunc(losingPairs, func(f fixture) bool { return f.name == "an edit to null in a kept list" })]
	file, d := f.parsed(t)
	there := passed(t, file, d, "v1", "v2", `{"l":[{"k":"x"},{"k":"y"}]}`)
	if back := passed(t, file, d, "v2", "v1", strings.Replace(there, `{"k":"x"}`, `{"k":"x","a":null}`, 1)); strings.Contains(back, "null") {
		t.Errorf("the edit comes back, so that the condition is not needed: %s", back)
	}
}

// TestConditionAroundKeptValue shows why a rule with a condition around it may not keep a value that does not
// depend on the tested field: after an edit of that field the value comes back over one that the client has seen.
func TestConditionAroundKeptValue(t *testing.T) {
	f := losingPairs[slices.IndexFunc(losingPairs, func(f fixture) bool { return f.name == "a condition around a rule that keeps" })]
	file, d := f.parsed(t)
	v2 := strings.Replace(passed(t, file, d, "v1", "v2", `{"type":"x","l":[{"n":"c"}]}`), `"type":"x"`, `"type":"y"`, 1)
	if !strings.Contains(v2, `{"type":"y","l":[{"n":"b"}]}`) {
		t.Fatalf("the client of v2 writes %s", v2)
	}
	if again := passed(t, file, d, "v1", "v2", passed(t, file, d, "v2", "v1", v2)); !strings.Contains(again, `{"type":"y","l":[{"n":"c"}]}`) {
		t.Errorf("nothing is lost, so that the condition is not needed: %s", again)
	}
}

// TestNullElement shows why elements without a type may be null.
func TestNullElement(t *testing.T) {
	f := losingPairs[slices.IndexFunc(losingPairs, func(f fixture) bool { return f.name == "a null element of no type" })]
	_, d := f.parsed(t)
	object := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "x", "namespace": "y"}, "spec": map[string]any{"u": []any{nil}}}
	if errs := d.Version("v1").Validate(t.Context(), object); len(errs) > 0 {
		t.Fatalf("an API server refuses it: %v", errs)
	}
	nested := map[string]any{"spec": map[string]any{"u": []any{map[string]any{"name": nil}}}}
	d.Version("v2").Store(nested)
	if got := encoded(t, nested); got != `{"spec":{"u":[{}]}}` {
		t.Errorf("an API server keeps the null: %s", got)
	}
}

// TestFieldWithinNestedValue shows why the object around such a field has to stay: it comes back around the
// field after a client has deleted it.
func TestFieldWithinNestedValue(t *testing.T) {
	f := losingPairs[slices.IndexFunc(losingPairs, func(f fixture) bool { return f.name == "a field within a nested value" })]
	file, d := f.parsed(t)
	v1 := passed(t, file, d, "v2", "v1", `{"t":{"h":{"x":"1","y":"2"}}}`)
	v2 := passed(t, file, d, "v1", "v2", strings.Replace(v1, `"h":{"y":"2"}`, "", 1))
	if back := passed(t, file, d, "v2", "v1", v2); !strings.Contains(back, `"spec":{"h":{}}`) {
		t.Errorf("%s", back)
	}
}

// TestTwin shows the limit of versions with one schema: neither shows or restores a value that is kept for
// the other.
func TestTwin(t *testing.T) {
	same := `{a: {type: string}, n: {type: integer}}`
	f := fixture{specs: []string{same, same, `{a: {type: string}}`}, rules: "---\n- {drop: spec.n, in: v2}\n"}
	file, d := f.parsed(t)
	found := Decide(file, d)
	if len(found.Open) > 0 || len(found.Limits) != 1 || found.Limits[0].Limit != twin {
		t.Errorf("%v", found)
	}
	v2 := passed(t, file, d, "v3", "v2", passed(t, file, d, "v1", "v3", `{"a":"x","n":5}`))
	if strings.Contains(v2, `"n":5`) {
		t.Errorf("v2 shows the value, so that it is no limit: %s", v2)
	}
	v3 := passed(t, file, d, "v2", "v3", strings.Replace(v2, `"a":"x"`, `"a":"x","n":7`, 1))
	if v1 := passed(t, file, d, "v3", "v1", v3); !strings.Contains(v1, `"n":5`) {
		t.Errorf("the edit comes back, so that it is no limit: %s", v1)
	}
}

// TestLongPointers tests that the size of kept values counts the fields that they depend on, and the
// values that the versions of a chain keep together.
func TestLongPointers(t *testing.T) {
	var names, properties []string
	for i := range 130 {
		name := fmt.Sprintf("f%03d%s", i, strings.Repeat("x", 1010))
		names, properties = append(names, "spec."+name), append(properties, name+": {type: string}")
	}
	v1 := "{" + strings.Join(properties, ", ")
	long := fixture{name: "for", specs: []string{v1 + "}", v1 + ", n: {type: boolean}}"}, rules: "- {drop: spec.n, in: v2, for: [" + strings.Join(names, ", ") + "]}\n"}
	twin := `{n: {type: string, maxLength: 6000}, a: {type: string}}`
	chain := fixture{name: "chain", specs: []string{twin, twin, `{a: {type: string}}`}, rules: "---\n- {drop: spec.n, in: v2}\n"}
	for _, f := range []fixture{long, chain} {
		file, d := f.parsed(t)
		found := Decide(file, d)
		if len(found.Open) > 0 || !slices.ContainsFunc(found.Limits, func(l Limit) bool { return l.Limit == refused }) {
			t.Errorf("%s: %v, %v", f.name, found.Open, found.Limits)
		}
	}
}
