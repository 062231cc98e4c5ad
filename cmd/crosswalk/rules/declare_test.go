package rules

import (
	"fmt"
	"slices"
	"testing"
)

// TestDeclaredFields compares the fields that modules declare.
func TestDeclaredFields(t *testing.T) {
	const stash = "metadata.annotations['conversion.example.com/stash']"
	for _, c := range []struct {
		rules  string
		v1, v2 []string
	}{
		{`- {rename: spec.a, to: spec.b}`, []string{"spec.a"}, []string{"spec.b"}},
		{`- {rename: "spec.a[].b", to: "spec.a[].c"}`, []string{"spec.a[].b"}, []string{"spec.a[].c"}},
		{`- {default: spec.a, in: v2, value: 1}`, []string{"metadata.uid"}, []string{"spec.a", "metadata.uid"}},
		// The hash for a field within a list is that of the list: if it did not see all of the
		// elements, a new element would get the stashed field of another.
		{`- {drop: "spec.users[].roles", in: v2}`, []string{"spec.users", stash}, []string{"spec.users", stash}},
		{`- {drop: spec.a, in: v2, for: [spec.b]}`, []string{"spec.b", stash}, []string{"spec.a", "spec.b", stash}},
		{`- {drop: spec.a, in: v2, for: object}`, nil, nil},
		{`- {rename: spec.a, to: spec.b, when: {path: spec.t, equals: 1}}`, []string{"spec.t", "spec.a"}, []string{"spec.t", "spec.b"}},
	} {
		f, err := Parse([]byte(inFile(c.rules)))
		if err != nil {
			t.Errorf("%s: %v", c.rules, err)
			continue
		}
		for version, want := range map[string][]string{"v1": c.v1, "v2": c.v2} {
			var got []string
			for _, p := range f.declared.Fields[version] {
				got = append(got, p.String())
			}
			slices.Sort(got)
			slices.Sort(want)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s declares %v in %s, want %v", c.rules, got, version, want)
			}
		}
	}
}

// TestStashInListIsStale inserts an element into the older version: fields that were stashed for
// the elements by their index must not reach other elements.
func TestStashInListIsStale(t *testing.T) {
	f, err := Parse([]byte(inFile(`- {drop: "spec.users[].roles", in: v2}`)))
	if err != nil {
		t.Fatal(err)
	}
	g := newGuest(t, f)
	older, _ := g.convert("example.com/v1", complete(t, "v2", `{"spec":{"users":[{"name":"a","roles":["admin"]}]}}`))
	const from, to = `{"users":[{"name":"a"}]}`, `{"users":[{"name":"b"},{"name":"a"}]}`
	changed := replace(t, older, from, to)
	got, ok := g.convert("example.com/v2", changed)
	if want := complete(t, "v2", `{"spec":`+to+`}`); !ok || normal(t, got, false) != normal(t, want, false) {
		t.Errorf("the object became %s, want %s", got, want)
	}
}
