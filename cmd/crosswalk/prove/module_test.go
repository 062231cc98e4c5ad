package prove

import (
	"testing"
	"time"
)

func enumerated(t *testing.T, f fixture, b Bounds) *Enumerated {
	t.Helper()
	file, _ := f.parsed(t)
	m, err := open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	all, err := Module(t.Context(), m, f.crd(t).CRD, b)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestModule tests that a module is tested with all objects of a scope, and that a mistake about two
// fields shows in scope 2.
func TestModule(t *testing.T) {
	specs := []string{`{mode: {type: string, enum: [x, y]}, old: {type: boolean}}`, `{mode: {type: string, enum: [x, y]}, new: {type: boolean}}`}
	right := enumerated(t, fixture{specs: specs, rules: "- {rename: spec.old, to: spec.new}\n"}, Bounds{Scope: 3, For: time.Minute})
	// Of each version: nothing; an empty spec, old or new twice. Both fields have 4 values, but mode is not declared beyond scope 1.
	if right.Scope != 1 || right.Objects != 2*(1+1+2+2) || len(right.Losses) > 0 || right.Next != 0 {
		t.Errorf("%s", encoded(t, right))
	}
	pair := fixture{specs: specs, rules: "- {rename: spec.old, to: spec.new, when: {path: spec.mode, equals: x, not: true}}\n"}
	found := enumerated(t, pair, Bounds{Scope: 3, For: time.Minute})
	if found.Scope != 1 || len(found.Losses) == 0 || found.Losses[0].Fields > 3 {
		t.Errorf("%s", encoded(t, found))
	}
	// The time is over, and the answer says so.
	short := enumerated(t, fixture{specs: specs, rules: "- {rename: spec.old, to: spec.new}\n"}, Bounds{Scope: 3, For: 1})
	if short.Scope != -1 || short.Next == 0 {
		t.Errorf("%s", encoded(t, short))
	}
}
