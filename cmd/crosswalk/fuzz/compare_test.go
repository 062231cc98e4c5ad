package fuzz

import (
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

func TestDifferences(t *testing.T) {
	text := schema.Structural{Generic: schema.Generic{Type: "string"}}
	s := &schema.Structural{Properties: map[string]schema.Structural{"spec": {
		Properties:           map[string]schema.Structural{"named": text},
		AdditionalProperties: &schema.StructuralOrBool{Structural: &text},
	}}}
	for _, c := range []struct{ name, was, is, want string }{
		{"equal", `{"spec":{"a":1}}`, `{"spec":{"a":1}}`, ""},
		{"equal numbers", `{"spec":{"a":1}}`, `{"spec":{"a":1.0}}`, ""},
		{"a float64", `{"spec":{"a":9007199254740993}}`, `{"spec":{"a":9007199254740992}}`, "changed spec.a spec.*"},
		{"a lost member", `{"spec":{"named":"x"}}`, `{"spec":{}}`, "lost spec.named spec.named"},
		{"lost leaves", `{"x":{"a":{"b":1,"c":[2]}}}`, `{}`, "lost x.a.b x.a.b, lost x.a.c[0] x.a.c[]"},
		{"an added one", `{}`, `{"x":{"a":{}}}`, "added x.a x.a"},
		{"nil and empty", `{"x":[]}`, `{}`, "lost x x"},
		{"null", `{"x":null}`, `{}`, "lost x x"},
		{"null and empty", `{"x":null}`, `{"x":{}}`, "changed x x"},
		{"another order", `{"x":[1,2]}`, `{"x":[2,1]}`, "reordered x x"},
		{"an element less", `{"x":[1,2,3]}`, `{"x":[1,3]}`, "lost x[1] x[]"},
		{"an element more", `{"x":[1,3]}`, `{"x":[1,2,3]}`, "added x[1] x[]"},
		{"another type", `{"x":"1"}`, `{"x":1}`, "changed x x"},
		{"an annotation", `{"metadata":{"annotations":{"a/b":"c"}}}`, `{"metadata":{}}`, `lost metadata.annotations["a/b"] metadata.annotations.*`},
		{"no annotations", `{"metadata":{"annotations":{}}}`, `{}`, ""},
		{"a stash", `{"metadata":{"annotations":{"conversion.g/stash":"{}"}}}`, `{}`, ""},
		{"kept values", `{}`, `{"metadata":{"annotations":{"a":"{\"b\":1}"}}}`, ""},
		{"an added text", `{}`, `{"metadata":{"annotations":{"a":"b"}}}`, `added metadata.annotations["a"] metadata.annotations.*`},
		{"other metadata", `{"metadata":{"name":"a"}}`, `{"metadata":{"name":"b"}}`, ""},
		{"the version", `{"apiVersion":"a"}`, `{"apiVersion":"b"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			was, err := decode([]byte(c.was))
			if err != nil {
				t.Fatal(err)
			}
			is, err := decode([]byte(c.is))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range differences(s, "g", was, is) {
				got = append(got, d.property+" "+d.path+" "+d.general)
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		acknowledged, path string
		want               bool
	}{
		{"spec.a", "spec.a", true}, {"spec.a", "spec.a.b", false}, {"spec.a", "spec.ab", false},
		{"spec.a.*", "spec.a.b", true}, {"spec.a.*", "spec.a[].b", true}, {"spec.a.*", "spec.a", false}, {"spec.a.*", "spec.ab.c", false},
		{"spec.a.*", "spec.a.*", true}, {".*", "spec.a", true}, {".*", "status", true}, {".", ".", true}, {".", "spec", false},
	} {
		if got := covers(c.acknowledged, c.path); got != c.want {
			t.Errorf("%q covers %q: %v", c.acknowledged, c.path, got)
		}
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b any
		want bool
	}{
		{nil, nil, true}, {nil, absent{}, false}, {int64(1), int64(1), true}, {int64(1), 1.0, true}, {1.0, int64(1), true}, {int64(1), 1.5, false}, {int64(1) << 53, float64(1 << 53), false},
		{[]any{int64(1)}, []any{1.0}, true}, {"a", "a", true}, {"a", "b", false},
		{[]any{}, []any{}, true}, {[]any{}, nil, false}, {nil, []any{}, false}, {[]any{"a"}, []any{"a", "b"}, false}, {[]any{"a", "b"}, []any{"b", "a"}, false},
		{map[string]any{}, []any{}, false}, {"a", map[string]any{}, false}, {map[string]any{"a": nil}, map[string]any{"b": nil}, false},
		{map[string]any{"a": []any{map[string]any{"b": true}}}, map[string]any{"a": []any{map[string]any{"b": true}}}, true},
		{map[string]any{"a": []any{map[string]any{"b": true}}}, map[string]any{"a": []any{map[string]any{"b": false}}}, false},
	} {
		if got := same(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
}
