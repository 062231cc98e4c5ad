package host

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	kjson "sigs.k8s.io/json"
)

// TestView shows a module's view of an object.
func TestView(t *testing.T) {
	tests := []struct{ name, object, want string }{
		{"nothing to leave out", `{"metadata":{"name":"a","labels":{}}}`, `{"metadata":{"name":"a","labels":{}}}`},
		{"no metadata", `{"spec":{"resourceVersion":"1"}}`, `{"spec":{"resourceVersion":"1"}}`},
		{"empty metadata", `{"metadata":{}}`, `{"metadata":{}}`},
		{"first", `{"metadata":{"managedFields":[{"a":1}],"name":"a"},"spec":1}`, `{"metadata":{"name":"a"},"spec":1}`},
		{"last", `{"metadata":{"name":"a","resourceVersion":"1"},"spec":1}`, `{"metadata":{"name":"a"},"spec":1}`},
		{"both in the middle", `{"metadata":{"generation":1,"managedFields":[],"resourceVersion":"1","uid":"u"}}`, `{"metadata":{"generation":1,"uid":"u"}}`},
		{"both at the ends", `{"metadata":{"resourceVersion":"1","name":"a","managedFields":[]}}`, `{"metadata":{"name":"a"}}`},
		{"nothing else", `{"metadata":{"resourceVersion":"1","managedFields":[]}}`, `{"metadata":{}}`},
		{"one alone", `{"metadata":{"managedFields":null}}`, `{"metadata":{}}`},
		{"with escapes", `{"metadata":{"managed\u0046ields":[],"resourceVersion":"1"}}`, `{"metadata":{}}`},
		{"with white space", `{ "metadata" : { "a" : 1 , "managedFields" : [ ] , "b" : 2 , "resourceVersion" : "1" } }`, `{ "metadata" : {"a" : 1,"b" : 2} }`},
		{"labels stay", `{"metadata":{"annotations":{"resourceVersion":"x"},"labels":{"managedFields":"x"},"managedFields":[],"labels2":{}}}`,
			`{"metadata":{"annotations":{"resourceVersion":"x"},"labels":{"managedFields":"x"},"labels2":{}}}`},
		{"labels null", `{"metadata":{"labels":null,"managedFields":[]}}`, `{"metadata":{"labels":null}}`},
		{"elsewhere", `{"managedFields":1,"spec":{"metadata":{"managedFields":2}},"resourceVersion":3,"metadata":{"name":"a"}}`,
			`{"managedFields":1,"spec":{"metadata":{"managedFields":2}},"resourceVersion":3,"metadata":{"name":"a"}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			head := `{"apiVersion":"stable.example.com/v1","kind":"CronTab",`
			object := head + strings.TrimSpace(test.object[1:])
			var saw []string
			m := &funcModule{One: func(_, _ string, view []byte) ([]byte, string) {
				saw = append(saw, string(view))
				return []byte("{}"), ""
			}}
			_, outcome := runReview(t, converter(edges(m, "v1→v2")...), reviewOf("v1", "stable.example.com/v2", object))
			if outcome.Failure != "" {
				t.Fatal(outcome.Message)
			}
			if want := head + strings.TrimSpace(test.want[1:]); len(saw) != 1 || saw[0] != want {
				t.Errorf("saw  %s\nwant %s", saw, want)
			}
		})
	}
}

// documents makes random JSON documents.
type documents struct{ *rand.Rand }

// space returns white space, mostly none.
func (d documents) space() string {
	return []string{"", "", "", "", " ", "\n\t", "  "}[d.IntN(7)]
}

// key returns a JSON string, at times with escapes.
func (d documents) key(name string) string {
	if d.IntN(8) == 0 {
		return fmt.Sprintf(`"\u%04x%s"`, name[0], name[1:])
	}
	return `"` + name + `"`
}

// object writes the members, each a name and a value, in any order.
func (d documents) object(members ...[2]string) string {
	d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	var parts []string
	for _, m := range members {
		parts = append(parts, d.space()+d.key(m[0])+d.space()+":"+d.space()+m[1]+d.space())
	}
	if len(parts) == 0 {
		return "{" + d.space() + "}"
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// metadata returns metadata with some of the members, and a few more.
func (d documents) metadata(names string) string {
	var members [][2]string
	for _, name := range strings.Fields(names) {
		if d.IntN(3) == 0 {
			continue
		}
		value := `"` + name + `"`
		switch name {
		case "labels", "annotations":
			value = []string{"null", "{}", `{"a":"b"}`, `{"a":"c", "d":""}`, `{ "\u0061" : "b" }`}[d.IntN(5)]
		case "managedFields", "finalizers":
			value = []string{"[]", `["x", {"labels":{}}]`, "null"}[d.IntN(3)]
		case "generation":
			value = []string{"0", "1", "9007199254740993", "1.0"}[d.IntN(4)]
		}
		members = append(members, [2]string{name, value})
	}
	return d.object(members...)
}

// tree decodes a document the way the API machinery does.
func tree(t *testing.T, doc string) map[string]any {
	t.Helper()
	var v map[string]any
	if strict, err := kjson.UnmarshalStrict([]byte(doc), &v); err != nil || len(strict) > 0 {
		t.Fatalf("%v %v in %s", err, strict, doc)
	}
	return v
}

// TestSplice compares conversions of random objects with a plain implementation on decoded trees.
func TestSplice(t *testing.T) {
	d := documents{rand.New(rand.NewPCG(3, 4))}
	const fixed = "name namespace uid"
	const names = fixed + " labels annotations managedFields resourceVersion finalizers generation creationTimestamp"
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	for range rounds {
		// The request's object, and the answer: identity comes from the request or is left out.
		members := [][2]string{{"apiVersion", `"stable.example.com/v1"`}, {"kind", `"CronTab"`}, {"spec", `{"a":1}`}}
		hasMeta := d.IntN(6) > 0
		if hasMeta {
			members = append(members, [2]string{"metadata", d.metadata(names)})
		}
		object := d.object(members...)
		in := tree(t, object)
		inMeta, _ := in["metadata"].(map[string]any)

		members = [][2]string{{"spec", `{"b":2}`}}
		if d.IntN(2) == 0 {
			members = append(members, [2]string{"apiVersion", `"stable.example.com/v2"`})
		}
		if d.IntN(2) == 0 {
			members = append(members, [2]string{"kind", `"CronTab"`})
		}
		if d.IntN(4) > 0 {
			allowed := names
			for _, name := range strings.Fields(fixed) {
				if _, ok := inMeta[name]; !ok {
					allowed = strings.Replace(allowed, name, "", 1)
				}
			}
			members = append(members, [2]string{"metadata", d.metadata(allowed)})
		}
		answer := d.space() + d.object(members...) + d.space()
		out := tree(t, answer)

		// The expected result.
		want := map[string]any{"apiVersion": "stable.example.com/v2", "kind": "CronTab", "spec": out["spec"]}
		meta := map[string]any{}
		for k, v := range inMeta {
			meta[k] = v
		}
		restored := 0
		if outMeta, ok := out["metadata"].(map[string]any); ok {
			for _, k := range []string{"labels", "annotations"} {
				delete(meta, k)
				if outMeta[k] != nil {
					meta[k] = outMeta[k]
				}
			}
			for _, k := range []string{"managedFields", "resourceVersion", "finalizers", "generation", "creationTimestamp"} {
				was := inMeta[k]
				if k == "managedFields" || k == "resourceVersion" {
					was = nil // not in the view
				}
				if now, ok := outMeta[k]; ok && !reflect.DeepEqual(was, now) && !(zero(was) && zero(now)) {
					restored = 1
				}
			}
		}
		want["metadata"] = meta

		var view string
		m := &funcModule{One: func(_, _ string, object []byte) ([]byte, string) {
			view = string(object)
			return []byte(answer), ""
		}}
		c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(m, "v1→v2"))}})
		a, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", object))
		if outcome.Failure != "" {
			t.Fatalf("%s\nobject %s\nanswer %s", outcome.Message, object, answer)
		}
		got := tree(t, string(a.Response.ConvertedObjects[0]))
		dropNulls(got, want)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("object %s\nanswer %s\ngot  %s\nwant %v", object, answer, a.Response.ConvertedObjects[0], want)
		}
		if outcome.Restored != restored {
			t.Fatalf("Restored is %d, want %d\nobject %s\nanswer %s", outcome.Restored, restored, object, answer)
		}
		if hasMeta {
			delete(inMeta, "managedFields")
			delete(inMeta, "resourceVersion")
		}
		if seen := tree(t, view); !reflect.DeepEqual(seen, in) {
			t.Fatalf("object %s\nview %s", object, view)
		}
	}
}

// dropNulls removes labels and annotations that are null: no labels, and labels that are null, are
// the same.
func dropNulls(objects ...map[string]any) {
	for _, o := range objects {
		meta := o["metadata"].(map[string]any)
		for _, k := range []string{"labels", "annotations"} {
			if meta[k] == nil {
				delete(meta, k)
			}
		}
	}
}

// zero reports whether a decoded value is one that typed languages write for a missing one.
func zero(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case int64:
		return v == 0
	}
	return v == nil
}

// TestArena checks that nothing an arena gave out is ever moved or overwritten before the reset.
func TestArena(t *testing.T) {
	var a arena
	for range 2 {
		var kept [][]byte
		for i := range 400 {
			kept = append(kept, a.write(func(w *writer) { w.string(strings.Repeat(string(rune('a'+i%26)), i*3)) }))
		}
		for i, b := range kept {
			if string(b) != strings.Repeat(string(rune('a'+i%26)), i*3) {
				t.Fatalf("slice %d is %q", i, b)
			}
			if cap(b) != len(b) {
				t.Fatalf("slice %d has room for %d more bytes", i, cap(b)-len(b))
			}
		}
		a.reset()
	}
}

// TestAnswerSize checks that the answer's buffer had the right size from the start: with answers of
// all lengths around that at which buffers get larger, being wrong by a single byte shows.
func TestAnswerSize(t *testing.T) {
	const border = leastAnswer * 5 / 4
	c := converter(edges(answers(`{"metadata":{"annotations":{"a":"b"}},"spec":1}`), "v1→v2")...)
	for _, review := range []func(last string) string{
		func(last string) string {
			return reviewOf("v1", "stable.example.com/v2", cron, cron, strings.Replace(cron, "v1", "v2", 1), `{"apiVersion":"stable.example.com/v1","kind":"CronTab"}`, last)
		},
		func(last string) string { return reviewOf("v1beta1", "stable.example.com/v2", last) },
	} {
		answer := func(padding int) []byte {
			last := `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"x"},"spec":"` + strings.Repeat("x", padding) + `"}`
			answer, _, err := c.Review(context.Background(), []byte(review(last)))
			if err != nil || !json.Valid(answer) {
				t.Fatalf("%s, error %v", answer, err)
			}
			return answer
		}
		least := border - 8 - len(answer(0))
		for padding := least; padding < least+16; padding++ {
			answer := answer(padding)
			if want, _ := c.answers.class(len(answer)); cap(answer) != want {
				t.Errorf("a buffer of %d bytes for an answer of %d, want %d", cap(answer), len(answer), want)
			}
		}
	}
}

// TestLinesOfWindows: metadata with CRLF between its members is written without empty members.
func TestLinesOfWindows(t *testing.T) {
	object := "{\"apiVersion\":\"stable.example.com/v1\",\"kind\":\"CronTab\",\"metadata\":{\r\n\"labels\":{\"a\":\"b\"},\r\n\"name\":\"x\"\r\n}}"
	got, message, _ := convertOne(t, object, `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"labels":{"a":"c"}}}`, Limits{})
	if want := `{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"labels":{"a":"c"},"name":"x"}}`; got != want {
		t.Errorf("got %q, want %q; %s", got, want, message)
	}
}

// TestAnnotationsOfAFragmentBetweenHops: a module sees the annotations that an earlier hop gave to
// an object without metadata, although the hop between left them out.
func TestAnnotationsOfAFragmentBetweenHops(t *testing.T) {
	for _, part := range []string{`"annotations":{"a":"b"}`, `"labels":{"a":"b"}`} {
		var saw string
		last := &funcModule{One: func(_, _ string, object []byte) ([]byte, string) {
			saw = string(object)
			return []byte(`{}`), ""
		}}
		list := slices.Concat(edges(answers(`{"metadata":{`+part+`}}`), "v1→v2"), edges(answers(`{}`), "v2→v3"), edges(last, "v3→v4"))
		_, outcome := runReview(t, converter(list...), reviewOf("v1", "stable.example.com/v4", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{}}`))
		if outcome.Failure != "" || !strings.Contains(saw, part) {
			t.Errorf("the last module saw %s; %s", saw, outcome.Message)
		}
	}
}
