package fuzz

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// classSchema has a field of each type, a map, a list, and an object that keeps unknown fields.
func classSchema() *schema.Structural {
	text := schema.Structural{Generic: schema.Generic{Type: "string"}}
	open := schema.Structural{Generic: schema.Generic{Type: "object"}, Extensions: schema.Extensions{XPreserveUnknownFields: true}}
	member := schema.Structural{Generic: schema.Generic{Type: "object"}, Properties: map[string]schema.Structural{"name": text}}
	return &schema.Structural{Properties: map[string]schema.Structural{"spec": {Properties: map[string]schema.Structural{
		"text": text, "any": {}, "open": open, "object": member,
		"map":      {AdditionalProperties: &schema.StructuralOrBool{Structural: &text}},
		"list":     {Items: &text},
		"objects":  {Items: &member},
		"dots.too": member,
	}}}}
}

func TestDifferenceClass(t *testing.T) {
	for _, c := range []struct{ name, was, is, want string }{
		{"an empty text", `{"text":""}`, `{}`, "lost spec.text empty"},
		{"a text", `{"text":"a"}`, `{}`, "lost spec.text value"},
		{"zero", `{"any":0}`, `{}`, "lost spec.any empty"},
		{"a float of zero", `{"any":0.0}`, `{}`, "lost spec.any empty"},
		{"one", `{"any":1}`, `{}`, "lost spec.any value"},
		{"false", `{"any":false}`, `{}`, "lost spec.any empty"},
		{"true is false", `{"any":true}`, `{"any":false}`, "changed spec.any value"},
		{"zero is a default", `{"any":0}`, `{"any":179}`, "changed spec.any value"},
		{"null is empty", `{"any":null}`, `{"any":[]}`, "changed spec.any empty"},
		{"null", `{}`, `{"any":null}`, "added spec.any empty"},
		{"an empty list", `{"list":[]}`, `{}`, "lost spec.list empty"},
		{"an empty object", `{}`, `{"object":{}}`, "added spec.object empty"},
		{"an empty member", `{"object":{"name":""}}`, `{}`, "lost spec.object.name empty"},
		{"an empty member of a whole element", `{"objects":[{"name":""}]}`, `{"objects":[{}]}`, "lost spec.objects[].name empty"},
		{"an element with an empty member", `{"objects":[{"name":""}]}`, `{}`, "lost spec.objects[].name value"},
		{"an empty element", `{"list":["a",""]}`, `{"list":["a"]}`, "lost spec.list[] value"},
		{"an entry with an empty value", `{"map":{"a":""}}`, `{}`, "lost spec.map.* value"},
		{"an entry of others", `{"map":{"a":"","b":"x"}}`, `{"map":{"b":"x"}}`, "lost spec.map.* value"},
		{"an unknown field", `{"open":{"a":""}}`, `{"open":{}}`, "lost spec.open.a value"},
		{"another order", `{"list":["a",""]}`, `{"list":["","a"]}`, "reordered spec.list value"},
		{"an added zero duration", `{}`, `{"text":"0s"}`, "added spec.text empty"},
		{"an added zero quantity", `{"text":""}`, `{"text":"0"}`, "changed spec.text empty"},
		{"a lost zero duration", `{"text":"0s"}`, `{}`, "lost spec.text value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			was, err := decode([]byte(`{"spec":` + c.was + `}`))
			if err != nil {
				t.Fatal(err)
			}
			is, err := decode([]byte(`{"spec":` + c.is + `}`))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range differences(classSchema(), "g", was, is) {
				got = append(got, d.property+" "+d.general+" "+d.class())
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	was := map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": ""}}}
	if all := differences(nil, "g", was, map[string]any{}); len(all) != 1 || all[0].class() != ClassValue {
		t.Errorf("a label without a value: %+v", all)
	}
}

func TestNamesAt(t *testing.T) {
	for path, want := range map[string]string{
		"spec": "spec", "spec.text": "spec text", "spec.list[]": "spec list []", "spec.objects[].name": "spec objects [] name",
		"spec.map.*": "spec map *", "spec.dots.too.name": "spec dots.too name",
		"spec.texts": "", "spec.none": "", "spec.open.a": "", "spec.text.a": "", ".": "", "metadata.labels.*": "",
	} {
		names, _ := namesAt(classSchema(), "", path)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestClasses demands the class of each finding about a value, and that an object which loses a
// value shrinks to one with a value that a reader recognises.
func TestClasses(t *testing.T) {
	reports := map[string]*Report{}
	for _, c := range []struct{ kind, class, missing, text string }{
		{"FieldRemoved", ClassNoField, "spec.interface", `v1→v2→v1 spec.interface: lost: was "example", is absent (v2 has no spec.interface)`},
		{"FieldRemoved", ClassNoField, "spec.vlan", `v1→v2→v1 spec.vlan: lost: was 1, is absent (v2 has no spec.vlan)`},
		{"FieldRemoved", ClassNoField, "spec.dhcp", `v1→v2→v1 spec.dhcp.server: lost: was "example", is absent (v2 has no spec.dhcp)`},
		{"FirstOnly", ClassValue, "", `v1→v2→v1 spec.hosts[]: lost: was "example", is absent`},
		{"DurationText", ClassValue, "", `v1→v2→v1 spec.timeout: changed: was "90s", is "1m30s"`},
		{"LabelSelector", ClassValue, "", `v1→v2→v1 spec.selector.matchExpressions[].operator: lost: was "Exists", is absent`},
		{"ZeroValues", ClassValue, "", `v1→v2→v1 spec.rules[]: lost: was "example", is absent`},
		{"ZeroValues", ClassEmpty, "", `v1→v2→v1 spec.name: lost: was "", is absent`},
		{"ZeroValues", ClassEmpty, "", `v1→v2→v1 spec.size: lost: was 0, is absent`},
		{"ZeroValues", ClassEmpty, "", `v1→v2→v1 spec.paused: added: was absent, is false`},
		{"EmptyList", ClassEmpty, "", `v1→v2→v1 spec.hosts: lost: was [], is absent`},
	} {
		t.Run(c.kind+" "+c.text, func(t *testing.T) {
			if reports[c.kind] == nil {
				reports[c.kind] = mistake(t, c.kind, "", nil)
			}
			r := reports[c.kind]
			i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Text() == c.text })
			if i < 0 {
				for _, f := range r.Findings {
					t.Log(f.Text())
				}
				t.Fatalf("not found: %s", c.text)
			}
			if f := r.Findings[i]; f.Class != c.class || f.Missing != c.missing {
				t.Errorf("class %q, missing %q: %s", f.Class, f.Missing, c.text)
			}
			for _, f := range r.Findings {
				if f.Text() == `v1→v2→v1 spec.rules: lost: was [], is absent` {
					t.Errorf("the elements of spec.rules are lost, and this says less: %s", f.Text())
				}
			}
		})
	}
}

func TestLossyOfAClass(t *testing.T) {
	r := mistake(t, "ZeroValues", `lossy:
- {from: v1, to: v2, path: ".*", class: empty, reason: zero values of Go}
- {from: v1, to: v2, path: spec.name, class: value, reason: a reason}
`, nil)
	var got []string
	for _, f := range r.Findings {
		if f.From == "v1" && f.Property != Fragment {
			got = append(got, f.Text())
		}
	}
	if want := []string{`v1→v2→v1 spec.rules[]: lost: was "example", is absent`}; !slices.Equal(got, want) {
		t.Errorf("not acknowledged: %q, want %q", got, want)
	}
	others, empty := Fold(r.Known)
	if len(others) != 0 || len(empty) != 1 || empty[0].Reason != "zero values of Go" ||
		empty[0].Text() != "v1→v2→v1: 3 fields gain or lose an empty value, usually a zero value of Go: spec.name, spec.paused, spec.size" {
		t.Errorf("acknowledged: %v, %+v", others, empty)
	}
	if len(r.Unused) != 1 || r.Unused[0].Text() != "v1→v2 spec.name (value): acknowledged, and did not occur" {
		t.Errorf("did not occur: %v", r.Unused)
	}
}

func TestTextNamesTheElement(t *testing.T) {
	for at, want := range map[string]string{
		"spec.a[1].b": `v1→v2 spec.a.b: fragment: was absent, is false at spec.a[1].b (gained)`,
		"spec.a.b":    `v1→v2 spec.a.b: fragment: was absent, is false (gained)`,
		"":            `v1→v2 spec.a.b: fragment: was absent, is false (gained)`,
	} {
		f := Finding{Property: Fragment, From: "v1", To: "v2", Path: "spec.a.b", At: at, Is: []byte("false"), Detail: "gained"}
		if f.Text() != want {
			t.Errorf("%q: %s, want %s", at, f.Text(), want)
		}
	}
}

func TestFold(t *testing.T) {
	of := func(class, from, to, path string, objects int) Finding {
		return Finding{Class: class, From: from, To: to, Path: path, Objects: objects}
	}
	findings := []Finding{
		of(ClassEmpty, "v2", "v1", "spec.z", 3), of(ClassValue, "v1", "v2", "spec.a", 1), of(ClassEmpty, "v1", "v2", "spec.c", 9),
		of("", "v1", "v2", "spec.b", 1), of(ClassEmpty, "v1", "v2", "spec.b", 7), of(ClassEmpty, "v1", "v2", "spec.c", 2),
	}
	for _, path := range strings.Split("d e f g h i j k l", " ") {
		findings = append(findings, of(ClassEmpty, "v1", "v2", "spec."+path, 1))
	}
	others, empty := Fold(findings)
	if len(others) != 2 || others[0].Path != "spec.a" || others[1].Path != "spec.b" {
		t.Errorf("others: %v", others)
	}
	if len(empty) != 2 || empty[0].Objects != 9 {
		t.Fatalf("%+v", empty)
	}
	for i, want := range []struct{ text, rest string }{
		{"v1→v2→v1: 11 fields gain or lose an empty value, usually a zero value of Go: spec.b, spec.c, spec.d, spec.e, spec.f, spec.g, spec.h, spec.i, spec.j, spec.k, and 1 more", "and spec.l"},
		{"v2→v1→v2: 1 field gains or loses an empty value, usually a zero value of Go: spec.z", ""},
	} {
		if e := empty[i]; e.Text() != want.text || e.Rest() != want.rest {
			t.Errorf("%q and %q, want %q", e.Text(), e.Rest(), want)
		}
	}
}
