package fuzz

import (
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

// TestHides tests which answers for an object before and after a change, with the values that annotations
// keep and without, hide the change.
func TestHides(t *testing.T) {
	const schema = `{type: object, properties: {spec: {type: object, properties: {a: {type: integer}, o: {type: object, properties: {b: {type: integer}, c: {type: integer}}}}}}}`
	versionOf := func(name, storage string) string {
		return "{name: " + name + ", served: true, storage: " + storage + ", schema: {openAPIV3Schema: " + schema + "}}"
	}
	all, err := definition.Read([]byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\n" +
		"spec: {group: example.com, scope: Namespaced, names: {kind: Thing, plural: things}, versions: [" + versionOf("v1", "true") + ", " + versionOf("v2", "false") + "]}"))
	if err != nil {
		t.Fatal(err)
	}
	def, err := apiserver.New(all[0].CRD)
	if err != nil {
		t.Fatal(err)
	}
	c, from, to := &checker{def: def}, &version{Version: def.Version("v1")}, &version{Version: def.Version("v2")}
	for _, test := range []struct {
		name          string
		before, after string // in v2
		back          [4]string
		path, detail  string // "" for a change that is not hidden
	}{
		{"the change shows", `{"a":1}`, `{"a":2}`, [4]string{`{"a":1}`, `{"a":3}`, `{"a":1}`, `{"a":2}`}, "", ""},
		{"it shows in neither case", `{"a":1}`, `{"a":2}`, [4]string{`{"a":5}`, `{"a":5}`, `{}`, `{}`}, "", ""},
		{"a kept value hides it", `{"a":1}`, `{"a":2}`, [4]string{`{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":2}`}, "spec.a", "changed in v2, and values that an annotation keeps hide the change in v1"},
		{"only the object before has a kept value", `{"a":1}`, `{"a":2}`, [4]string{`{"a":2}`, `{"a":2}`, `{"a":1}`, `{"a":2}`}, "", ""},
		{"a kept value is elsewhere", `{"a":1}`, `{"a":2}`, [4]string{`{"a":2,"o":{"c":3}}`, `{"a":2,"o":{"c":3}}`, `{"a":1}`, `{"a":2}`}, "", ""},
		{"an object comes back", `{"o":{"b":1}}`, `{}`, [4]string{`{"o":{"c":3}}`, `{"o":{"c":3}}`, `{"o":{}}`, `{}`}, "spec.o", "added again in v1 because of values that an annotation keeps"},
		{"a value comes back over another", `{"a":1,"o":{"b":1}}`, `{"a":1}`, [4]string{`{"a":1,"o":{"b":1}}`, `{"a":1,"o":{"b":1}}`, `{"a":1,"o":{"b":1}}`, `{"a":2}`}, "spec.o.b", "changed in v2, and values that an annotation keeps hide the change in v1"},
	} {
		object := func(version, spec string) *answer {
			return &answer{text: []byte(`{"apiVersion":"example.com/` + version + `","kind":"Thing","metadata":{"name":"x"},"spec":` + spec + `}`)}
		}
		var back []answer
		for _, spec := range test.back {
			back = append(back, *object("v1", spec))
		}
		s, hidden := c.hides(from, to, pair{before: object("v2", test.before).value(), after: object("v2", test.after).value()}, back)
		if hidden != (test.path != "") || s.path != test.path || s.detail != test.detail {
			t.Errorf("%s: %v, %q, %q", test.name, hidden, s.path, s.detail)
		}
	}
}
