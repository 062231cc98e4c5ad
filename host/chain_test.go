package host

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestChain checks the view of every module of a chain, and that the contract is checked after
// each.
func TestChain(t *testing.T) {
	const head = `"apiVersion":"stable.example.com/v1","kind":"CronTab"`
	tests := []struct {
		name, object    string
		first, second   string // the modules' answers
		saw             string // the second module's view
		want            string // converted object, or
		broken          string // message
		restored, calls int
	}{
		{
			name: "all left out", object: `{` + head + `,"metadata":{"name":"a","resourceVersion":"1","labels":{"a":"b"}}}`, first: `{"x":1}`, second: `{"y":2}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a","labels":{"a":"b"}},"x":1}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"name":"a","resourceVersion":"1","labels":{"a":"b"}},"y":2}`,
			calls: 2,
		},
		{
			name: "the first sets labels, the second leaves metadata out", object: `{` + head + `,"metadata":{"managedFields":[],"name":"a"}}`,
			first: `{"metadata":{"labels":{"c":"d"},"name":"a"},"x":1}`, second: `{"y":2}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a","labels":{"c":"d"}},"x":1}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"managedFields":[],"name":"a","labels":{"c":"d"}},"y":2}`,
			calls: 2,
		},
		{
			name: "the first removes annotations, the second adds others", object: `{` + head + `,"metadata":{"annotations":{"a":"b"},"name":"a"}}`,
			first: `{"metadata":{}}`, second: `{"metadata":{"annotations":{"c":"d"}}}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a"}}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"annotations":{"c":"d"},"name":"a"}}`,
			calls: 2,
		},
		{
			name: "a fragment stays one", object: `{` + head + `,"spec":1}`, first: `{"spec":2}`, second: `{"spec":3}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","spec":2}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{},"spec":3}`,
			calls: 2,
		},
		{
			name: "a fragment gets labels on the way", object: `{` + head + `,"spec":1}`, first: `{"metadata":{"labels":{"a":"b"}}}`, second: `{}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"labels":{"a":"b"}}}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"labels":{"a":"b"}}}`,
			calls: 2,
		},
		{
			name: "both meddle with one object", object: `{` + head + `,"metadata":{"name":"a"}}`, first: `{"metadata":{"generation":1}}`, second: `{"metadata":{"finalizers":["f"]}}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a"}}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"name":"a"}}`,
			calls: 2, restored: 1,
		},
		{
			name: "only the first meddles", object: `{` + head + `,"metadata":{"name":"a"}}`, first: `{"metadata":{"generation":1}}`, second: `{}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a"}}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"name":"a"}}`,
			calls: 2, restored: 1,
		},
		{
			name: "only the first meddles, the second has metadata", object: `{` + head + `,"metadata":{"name":"a"}}`, first: `{"metadata":{"generation":1}}`, second: `{"metadata":{"name":"a"}}`,
			saw:   `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a"}}`,
			want:  `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"name":"a"}}`,
			calls: 2, restored: 1,
		},
		{
			name: "the first breaks the contract", object: `{` + head + `,"metadata":{"name":"a"}}`, first: `{"kind":"B"}`,
			broken: `cannot convert object 0 (a) of CronTab.stable.example.com from v1 to v2 (step 1 of 2 from v1 to v3): module one.wasm (sha256:0123456789ab) broke the conversion contract: ` +
				`its answer has kind "B"; a conversion may not change the kind`,
			calls: 1,
		},
		{
			name: "the first answers for the last version", object: `{` + head + `,"metadata":{"name":"a"}}`, first: `{"apiVersion":"stable.example.com/v3"}`,
			broken: `cannot convert object 0 (a) of CronTab.stable.example.com from v1 to v2 (step 1 of 2 from v1 to v3): module one.wasm (sha256:0123456789ab) broke the conversion contract: ` +
				`its answer has apiVersion "stable.example.com/v3"; it must be "stable.example.com/v2" or be left out`,
			calls: 1,
		},
		{
			name: "the second breaks the contract", object: `{` + head + `,"metadata":{"name":"a"}}`, first: `{}`, second: `{"metadata":{"name":"b"}}`,
			saw: `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"a"}}`,
			broken: `cannot convert object 0 (a) of CronTab.stable.example.com from v2 to v3 (step 2 of 2 from v1 to v3): module two.wasm (sha256:0123456789ab) broke the conversion contract: ` +
				`its answer changes metadata.name; name, namespace and uid must stay as they are or be left out`,
			calls: 2,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var saw []string
			answer := func(name, answer string) *funcModule {
				return &funcModule{File: name, One: func(from, to string, object []byte) ([]byte, string) {
					saw = append(saw, strings.Join([]string{from, to, string(object)}, " "))
					return []byte(answer), ""
				}}
			}
			list := append(edges(answer("one.wasm", test.first), "v1→v2"), edges(answer("two.wasm", test.second), "v2→v3")...)
			a, outcome := runReview(t, converter(list...), reviewOf("v1", "stable.example.com/v3", test.object))
			if a.Response.Result.Message != test.broken {
				t.Errorf("message\n%s\nwant\n%s", a.Response.Result.Message, test.broken)
			}
			if test.broken == "" && fmt.Sprintf("%s", a.Response.ConvertedObjects) != "["+test.want+"]" {
				t.Errorf("converted %s\nwant      [%s]", a.Response.ConvertedObjects, test.want)
			}
			if len(saw) != test.calls || test.calls == 2 && saw[1] != "stable.example.com/v2 stable.example.com/v3 "+test.saw {
				t.Errorf("the modules saw\n%s\nwant for the second\n%s", strings.Join(saw, "\n"), test.saw)
			}
			if outcome.Restored != test.restored {
				t.Errorf("Restored is %d, want %d", outcome.Restored, test.restored)
			}
		})
	}
}

// TestChainAliasing has modules that answer with slices of their input. Labels that the first
// module sets must survive the others.
func TestChainAliasing(t *testing.T) {
	peel := &funcModule{File: "peel.wasm", One: func(_, _ string, object []byte) ([]byte, string) {
		i := bytes.Index(object, []byte(`"in":`)) + len(`"in":`)
		return object[i : len(object)-1 : len(object)-1], ""
	}}
	object := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"%[1]d","managedFields":[{}]},` +
		`"in":{"metadata":{"labels":{"a":"%[1]d"}},"in":{"in":{"in":{"metadata":{"labels":{"b":"%[1]d"}},"x":%[1]d}}}}}`
	want := func(version string, i int, label, rest string) string {
		return fmt.Sprintf(`{"apiVersion":"stable.example.com/%s","kind":"CronTab","metadata":{"name":"%d","managedFields":[{}],"labels":{"%s":"%d"}},%s}`, version, i, label, i, rest)
	}
	c := converter(edges(peel, "v1→v2", "v2→v3", "v3→v4", "v4→v5")...)
	for round := range 3 { // buffers are used again
		var objects []string
		for i := range 500 {
			objects = append(objects, fmt.Sprintf(object, i))
		}
		a, _ := runReview(t, c, reviewOf("v1", "stable.example.com/v4", objects...))
		b, _ := runReview(t, c, reviewOf("v1", "stable.example.com/v5", objects...))
		if len(a.Response.ConvertedObjects) != 500 || len(b.Response.ConvertedObjects) != 500 {
			t.Fatalf("round %d: %s %s", round, a.Response.Result.Message, b.Response.Result.Message)
		}
		for i := range 500 {
			x := fmt.Sprintf(`"x":%d`, i)
			if got, want := string(a.Response.ConvertedObjects[i]), want("v4", i, "a", fmt.Sprintf(`"in":{"metadata":{"labels":{"b":"%d"}},%s}`, i, x)); got != want {
				t.Fatalf("round %d\n%s\nwant\n%s", round, got, want)
			}
			if got, want := string(b.Response.ConvertedObjects[i]), want("v5", i, "b", x); got != want {
				t.Fatalf("round %d\n%s\nwant\n%s", round, got, want)
			}
		}
	}
}

// TestChainOfThree checks that labels outlive a module that leaves metadata out, on an object that
// came without any.
func TestChainOfThree(t *testing.T) {
	var saw string
	last := &funcModule{File: "last.wasm", One: func(_, _ string, object []byte) ([]byte, string) {
		saw = string(object)
		return []byte(`{}`), ""
	}}
	list := append(edges(answers(`{"metadata":{"labels":{"a":"b"}}}`), "v1→v2"), edges(answers(`{"x":1}`), "v2→v3")...)
	a, _ := runReview(t, converter(append(list, edges(last, "v3→v4")...)...), reviewOf("v1", "stable.example.com/v4", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":1}`))
	if want := `{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{"labels":{"a":"b"}},"x":1}`; saw != want {
		t.Errorf("the last module saw %s, want %s", saw, want)
	}
	if got, want := fmt.Sprintf("%s", a.Response.ConvertedObjects), `[{"apiVersion":"stable.example.com/v4","kind":"CronTab","metadata":{"labels":{"a":"b"}}}]`; got != want {
		t.Errorf("converted %s, want %s", got, want)
	}
}
