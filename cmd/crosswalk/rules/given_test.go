package rules

import "testing"

// TestGivenFields converts objects to a version with a default and a constant: fragments, which have
// no uid, get neither, and a field with a default comes back if it is dropped on the way.
func TestGivenFields(t *testing.T) {
	g := newGuest(t, parse(t, inFile("- {default: spec.strategy, in: v2, value: Rolling}\n- {drop: spec.strategy, in: v2}\n- {constant: spec.engine, in: v2, value: a}")))
	for object, want := range map[string]string{
		`{"spec":{}}`: `{"spec":{"engine":"a","strategy":"Rolling"}}`,
		`{"metadata":{"name":"a"},"spec":{"size":1}}`: `{"metadata":{"name":"a"},"spec":{"size":1}}`,
		`{"status":{}}`: `{"status":{}}`,
	} {
		if got, _ := g.convert("example.com/v2", complete(t, "v1", object)); normal(t, got, false) != normal(t, complete(t, "v2", want), false) {
			t.Errorf("%s became %s, want %s", object, got, want)
		}
	}
	object := complete(t, "v2", `{"spec":{"engine":"b","strategy":"Recreate"}}`)
	there, _ := g.convert("example.com/v1", object)
	if normal(t, there, false) != normal(t, complete(t, "v1", `{"spec":{}}`), false) {
		t.Errorf("%s became %s", object, there)
	}
	if back, _ := g.convert("example.com/v2", there); normal(t, back, true) != normal(t, object, true) {
		t.Errorf("%s came back as %s", object, back)
	}
}
