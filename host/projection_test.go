package host

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// projectOne converts one object from v1 to v2 with a module that declares fields. saw is the
// module's view.
func projectOne(t *testing.T, fields, object, answer string) (saw, converted, message string, outcome Outcome) {
	t.Helper()
	m := &funcModule{Paths: strings.Fields(fields), One: func(_, _ string, view []byte) ([]byte, string) {
		saw = string(view)
		return []byte(answer), ""
	}}
	a, outcome := runReview(t, converter(edges(m, "v1→v2")...), reviewOf("v1", "stable.example.com/v2", object))
	if len(a.Response.ConvertedObjects) == 1 {
		converted = string(a.Response.ConvertedObjects[0])
	}
	return saw, converted, a.Response.Result.Message, outcome
}

// TestProjection checks the API server's answer for answers of a module that declares fields.
func TestProjection(t *testing.T) {
	const (
		headV1 = `{"apiVersion":"stable.example.com/v1","kind":"CronTab"`
		headV2 = `{"apiVersion":"stable.example.com/v2","kind":"CronTab"`
	)
	now := strings.Replace(cron, "/v1", "/v2", 1)
	fragment := headV1 + `,"spec":{"a":1,"b":1.50}}`
	replaced := func(old, replacement string) string { return strings.Replace(now, old, replacement, 1) }
	tests := []struct {
		name, fields, object, saw, answer, want string
		restored                                int
	}{
		{"nothing declared, nothing said", "", cron, headV1 + `}`, `{}`, now, 0},
		{"what it saw", "spec.cronSpec", cron, headV1 + `,"spec":{"cronSpec":"* * * * */5"}}`, headV2 + `,"spec":{"cronSpec":"* * * * */5"}}`, now, 0},
		{"changed", "spec.cronSpec", cron, headV1 + `,"spec":{"cronSpec":"* * * * */5"}}`, `{"spec":{"cronSpec":1.0}}`, replaced(`"* * * * */5"`, `1.0`), 0},
		{"apiVersion and kind in escapes", "spec.cronSpec", cron, headV1 + `,"spec":{"cronSpec":"* * * * */5"}}`, `{"apiVersion":"stable.example.com\/v2","kind":"Cron\u0054ab","spec":{"cronSpec":1}}`, replaced(`"* * * * */5"`, `1`), 0},
		{"metadata left out", "metadata.annotations.note metadata.labels", cron, headV1 + `,"metadata":{"annotations":{"note":"hand-made"},"labels":{"app":"cron"}}}`, `{}`, now, 0},
		{"metadata empty", "metadata.annotations.note metadata.labels", cron, headV1 + `,"metadata":{"annotations":{"note":"hand-made"},"labels":{"app":"cron"}}}`, `{"metadata":{}}`,
			strings.Replace(replaced(`"annotations":{"note":"hand-made"},`, ``), `"labels":{"app":"cron"},`, ``, 1), 0},
		{"one of two is declared", "metadata.annotations.other", cron, headV1 + `,"metadata":{"annotations":{}}}`, `{"metadata":{"annotations":{"other":"x"}}}`, replaced(`"hand-made"`, `"hand-made","other":"x"`), 0},
		{"labels set", "metadata.labels.tier", cron, headV1 + `,"metadata":{"labels":{}}}`, `{"metadata":{"labels":{"tier":"back"}}}`, replaced(`{"app":"cron"}`, `{"app":"cron","tier":"back"}`), 0},
		{"labels null", "metadata.labels", cron, headV1 + `,"metadata":{"labels":{"app":"cron"}}}`, `{"metadata":{"labels":null}}`, replaced(`"labels":{"app":"cron"},`, ``), 0},
		{"identity left as it is", "metadata.name metadata.uid", cron, headV1 + `,"metadata":{"name":"my-cron",` + cronTail + `}}`, `{"metadata":{"name":"my-cr\u006fn"}}`, now, 0},
		{"what is put back", "metadata.generation metadata.finalizers", cron, headV1 + `,"metadata":{"finalizers":["stable.example.com/hold"],"generation":7}}`, `{"metadata":{"generation":8,"finalizers":["stable.example.com\/hold"]}}`, now, 1},
		{"a fragment", "spec.a", fragment, headV1 + `,"spec":{"a":1}}`, `{"spec":{}}`, strings.Replace(headV2, `{`, `{"metadata":{},`, 1) + `,"spec":{"b":1.50}}`, 0},
		{"a fragment gets an annotation", "spec.a metadata.annotations.kept", fragment, headV1 + `,"spec":{"a":1}}`, `{"metadata":{"annotations":{"kept":"1"}}}`, headV2 + `,"spec":{"b":1.50},"metadata":{"annotations":{"kept":"1"}}}`, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			saw, converted, message, outcome := projectOne(t, test.fields, test.object, test.answer)
			if message != "" || saw != test.saw || converted != test.want || outcome.Restored != test.restored {
				t.Errorf("%s, restored %d\nsaw  %s\nwant %s\ngot  %s\nwant %s", message, outcome.Restored, saw, test.saw, converted, test.want)
			}
		})
	}
}

// TestProjectionBroken has a rule for every answer that is refused.
func TestProjectionBroken(t *testing.T) {
	listed := strings.Replace(cron, `"spec":{`, `"spec":{"list":[{"a":1,"b":2},"text"],"map":{"x.y":{"c":[1]}},`, 1)
	tests := []struct{ name, fields, object, answer, broken string }{
		{"empty", "spec.a", cron, ``, `is empty`},
		{"no object", "spec.a", cron, `[]`, `is an array, not an object`},
		{"no JSON", "spec.a", cron, `{"spec":{"a":01}}`, `is not strictly valid JSON: number with a leading zero at byte 13`},
		{"cut off", "spec.a", cron, `{"spec":{"a":1}`, `is not strictly valid JSON: unexpected end of JSON at byte 15`},
		{"cut off before a value", "spec.a", cron, `{"spec":{"a":`, `is not strictly valid JSON: unexpected end of JSON at byte 13`},
		{"cut off before a list's end", "spec.a[].b", cron, `{"spec":{"a":[`, `is not strictly valid JSON: unexpected end of JSON at byte 14`},
		{"more behind it", "spec.a", cron, `{} {}`, `is not strictly valid JSON: data after the end of the document at byte 3`},
		{"a key twice", "spec.a", cron, `{"spec":{"a":1,"\u0061":2}}`, `is not strictly valid JSON: duplicate key "a" at byte 15`},
		{"a key twice in a declared value", "spec.a", cron, `{"spec":{"a":{"b":1,"b":2}}}`, `is not strictly valid JSON: duplicate key "b" at byte 20`},
		{"too deep", "spec.a", cron, `{"spec":{"a":` + strings.Repeat("[", 1000), `is not strictly valid JSON: nested deeper than 1000 levels at byte 1011`},
		{"a number nobody can read", "spec.a", cron, `{"spec":{"a":1e999}}`, `is not strictly valid JSON: number 1e999 is neither an int64 nor a finite float64 at byte 13`},
		{"another apiVersion", "spec.a", cron, `{"apiVersion":"stable.example.com/v1"}`, `has apiVersion "stable.example.com/v1"; it must be "stable.example.com/v2" or be left out`},
		{"apiVersion a number", "spec.a", cron, `{"apiVersion":2}`, `has apiVersion that is a number, not a string`},
		{"another kind", "spec.a", cron, `{"kind":"CronJob"}`, `has kind "CronJob"; a conversion may not change the kind`},
		{"undeclared", "spec.a", cron, `{"spec":{"a":1,"hostPort":"x"}}`, `has spec.hostPort, which is not among the fields that the module declares`},
		{"undeclared at the top", "spec.a", cron, `{"status":{"a":0}}`, `has status, which is not among the fields that the module declares`},
		{"undeclared, as it is", "spec.cronSpec", cron, strings.Replace(cron, "/v1", "/v2", 1), `has metadata, which is not among the fields that the module declares`},
		{"undeclared in a list", "spec.list[].a", listed, `{"spec":{"list":[{"a":1,"b":3},null]}}`, `has spec.list[0].b, which is not among the fields that the module declares`},
		{"undeclared in a map", "spec.map.*.a", listed, `{"spec":{"map":{"x.y":{"q\"":1}}}}`, `has spec.map["x.y"]["q\""], which is not among the fields that the module declares`},
		{"undeclared in another spelling", "spec.a", cron, `{"spec":{"hostP\u006frt":1}}`, `has spec.hostPort, which is not among the fields that the module declares`},
		{"only by case", "metadata.name", cron, `{"Metadata":{"a":1}}`, `has Metadata, which is not among the fields that the module declares`},
		{"a name undeclared", "metadata.labels", cron, `{"metadata":{"name":"my-cron"}}`, `has metadata.name, which is not among the fields that the module declares`},
		{"a name changed", "metadata.name", cron, `{"metadata":{"name":"your-cron"}}`, `changes metadata.name; name, namespace and uid must stay as they are or be left out`},
		{"a uid changed beside a name that is not", "metadata.name metadata.uid", cron, `{"metadata":{"name":"my-cron","uid":"u-2"}}`, `changes metadata.uid; name, namespace and uid must stay as they are or be left out`},
		{"a name changed beside a uid that is not", "metadata.name metadata.uid", cron, `{"metadata":{` + cronTail + `,"name":"your-cron"}}`, `changes metadata.name; name, namespace and uid must stay as they are or be left out`},
		{"a name made up", "metadata.namespace", strings.Replace(cron, `"namespace":"default",`, ``, 1), `{"metadata":{"namespace":"x"}}`, `changes metadata.namespace; name, namespace and uid must stay as they are or be left out`},
		{"an annotation undeclared", "metadata.annotations.a", cron, `{"metadata":{"annotations":{"note":"x"}}}`, `has metadata.annotations.note, which is not among the fields that the module declares`},
		{"an annotation that is no string", "metadata.annotations.a", cron, `{"metadata":{"annotations":{"a":1}}}`, `has metadata.annotations["a"] that is a number, not a string`},
		{"annotations that are none", "metadata.annotations", cron, `{"metadata":{"annotations":"x"}}`, `has metadata.annotations that is a string, not an object`},
		{"a label that is none", "metadata.labels.a", cron, `{"metadata":{"labels":{"a":"no label"}}}`, `has an invalid metadata.labels["a"]: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`},
		{"metadata null", "metadata.labels", cron, `{"metadata":null}`, `has metadata that is null, not an object`},
		{"metadata a list", "metadata.labels", cron, `{"metadata":[]}`, `has metadata that is an array, not an object`},
		{"a part that is none", "spec.a.b", cron, `{"spec":{"a":5}}`, `has spec.a that is a number, not an object: the module declares only parts of it`},
		{"a list that is none", "spec.a[].b", cron, `{"spec":{"a":{}}}`, `has spec.a that is an object, not an array: the module declares only parts of it`},
		{"an element that is none", "spec.list[].a", listed, `{"spec":{"list":["x",""]}}`, `has spec.list[0] that is a string, not an object: the module declares only parts of it`},
		{"in the place of what was not shown", "spec.list[].a", listed, `{"spec":{"list":[{},{"a":1}]}}`, `has spec.list[1], which in the object is a string, so that nothing of it is declared`},
		{"a part of what is new", "spec.new[].a", listed, `{"spec":{"new":[{},5]}}`, `has spec.new[1] that is a number, not an object: the module declares only parts of it`},
		{"another string", "spec.hostPort.port", listed, `{"spec":{"hostPort":"x"}}`, `has spec.hostPort, which in the object is a string, so that nothing of it is declared`},
		{"in the place of a string", "spec.hostPort.port", listed, `{"spec":{"hostPort":{"port":1}}}`, `has spec.hostPort, which in the object is a string, so that nothing of it is declared`},
		{"an element too few", "spec.list[].a", listed, `{"spec":{"list":[{}]}}`, `has 1 elements in spec.list, where the object has 2: only parts of them are declared, so that none can be added or removed`},
		{"no elements", "spec.list[].a", listed, `{}`, `has 0 elements in spec.list, where the object has 2: only parts of them are declared, so that none can be added or removed`},
		{"a list for an object", "spec.map.a spec.map[].a", listed, `{"spec":{"map":[]}}`, `has spec.map that is an array, where the object has an object with more in it than is declared`},
		{"a reserved name in the object", "spec.a", strings.Replace(cron, `{`, `{"Metadata":{},`, 1), `{}`, `leaves a top-level field "Metadata" in the object, which differs from metadata only by case`},
		{"huge", "spec.a", cron, `{"spec":{"a":"` + strings.Repeat("x", 2<<20) + `"}}`, `has 2097169 bytes; for this object, of which the module is shown 65, at most 1048836 are allowed`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, converted, message, outcome := projectOne(t, test.fields, test.object, test.answer)
			want := breach(test.broken)
			if test.name == "a name made up" {
				want = strings.Replace(want, "default/", "", 1)
			}
			if message != want || converted != "" || outcome.Failure != FailureContract {
				t.Errorf("%s%s\nmessage\n%s\nwant\n%s", converted, outcome.Failure, message, want)
			}
		})
	}
}

// TestProjectionChain converts with modules with and without declared fields, one after the other.
// Each sees its own fields of the previous module's result.
func TestProjectionChain(t *testing.T) {
	const object = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a","resourceVersion":"1","labels":{"a":"b"},"annotations":{"x":"1"}},"spec":{"a":1,"z":1.50}}`
	var saw []string
	module := func(name, fields, answer string) *funcModule {
		m := &funcModule{File: name, One: func(_, _ string, view []byte) ([]byte, string) {
			saw = append(saw, string(view))
			return []byte(answer), ""
		}}
		if fields != "" {
			m.Paths = strings.Fields(fields)
		}
		return m
	}
	list := edges(module("one.wasm", "spec.a spec.b metadata.annotations.y", `{"metadata":{"annotations":{"y":"2"}},"spec":{"b":1}}`), "v1→v2")
	list = append(list, edges(module("two.wasm", "", `{"metadata":{"labels":{"c":"d"},"annotations":{"y":"2"}},"spec":{"b":1,"z":1.50},"more":[]}`), "v2→v3")...)
	list = append(list, edges(module("three.wasm", "metadata.labels.c metadata.name spec.c spec.b", `{"metadata":{"labels":{"c":"e"}},"spec":{"c":1}}`), "v3→v4")...)
	a, outcome := runReview(t, converter(list...), reviewOf("v1", "stable.example.com/v4", object, strings.Replace(object, `"name":"a"`, `"name":"b"`, 1)))
	if outcome.Failure != "" {
		t.Fatal(outcome.Message)
	}
	wantSaw := []string{
		`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"annotations":{}},"spec":{"a":1}}`,
		`{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a","labels":{"a":"b"},"annotations":{"x":"1","y":"2"}},"spec":{"z":1.50,"b":1}}`,
		`{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"name":"a","labels":{"c":"d"}},"spec":{"b":1}}`,
	}
	for i, want := range wantSaw {
		if saw[2*i] != want || saw[2*i+1] != strings.Replace(want, `"name":"a"`, `"name":"b"`, 1) {
			t.Errorf("module %d saw\n%s\nwant\n%s", i, saw[2*i], want)
		}
	}
	want := `{"apiVersion":"stable.example.com/v4","kind":"CronTab","metadata":{"name":"%s","resourceVersion":"1","labels":{"c":"e"},"annotations":{"y":"2"}},"spec":{"z":1.50,"c":1},"more":[]}`
	for i, name := range []string{"a", "b"} {
		if got, want := string(a.Response.ConvertedObjects[i]), fmt.Sprintf(want, name); got != want {
			t.Errorf("converted\n%s\nwant\n%s", got, want)
		}
	}
}

// TestProjectionCountsEarlierRestores: an object counts as restored if the first module changes its
// metadata, whether the second, which declares fields, changes anything or not.
func TestProjectionCountsEarlierRestores(t *testing.T) {
	for _, change := range []string{`"a":1`, `"a":2`} {
		second := &funcModule{File: "two.wasm", Paths: []string{"spec.a"}, One: func(from, to string, view []byte) ([]byte, string) {
			return []byte(strings.NewReplacer(from, to, `"a":1`, change).Replace(string(view))), ""
		}}
		list := append(edges(answers(`{"metadata":{"generation":1},"spec":{"a":1}}`), "v1→v2"), edges(second, "v2→v3")...)
		if _, outcome := runReview(t, converter(list...), reviewOf("v1", "stable.example.com/v3", tiny)); outcome.Failure != "" || outcome.Restored != 1 {
			t.Errorf("%s: %+v", change, outcome)
		}
	}
}

// TestDeclaredOutputsCountOnce: the limit of a review's outputs counts the object that an output makes,
// and not the output beside it.
func TestDeclaredOutputsCountOnce(t *testing.T) {
	m := &funcModule{Paths: []string{"spec"}, One: func(from, to string, view []byte) ([]byte, string) {
		return []byte(strings.NewReplacer(from, to, "x", "y").Replace(string(view))), ""
	}}
	objects := slices.Repeat([]string{strings.TrimSuffix(tiny, "}") + `,"spec":{"a":"` + strings.Repeat("x", 1000) + `"}}`}, 10)
	list, review := NewRoutes(edges(m, "v1→v2")), []byte(reviewOf("v1", "stable.example.com/v2", objects...))
	answer, outcome, err := newConverter(ConverterConfig{Modules: Static(list)}).Review(t.Context(), review)
	if err != nil || outcome.Failure != "" {
		t.Fatal(outcome, err)
	}
	limited := newConverter(ConverterConfig{Modules: Static(list), Limits: Limits{ReplyBytes: len(answer)}})
	if _, outcome, err = limited.Review(t.Context(), review); err != nil || outcome.Failure != "" {
		t.Errorf("an answer of %d bytes, which are allowed: %+v, %v", len(answer), outcome, err)
	}
}
