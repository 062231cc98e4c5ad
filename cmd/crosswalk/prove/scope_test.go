package prove

import (
	"slices"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
)

func enumerated(t *testing.T, f fixture, scope int, during time.Duration) *fuzz.Report {
	t.Helper()
	file, _ := f.parsed(t)
	m, err := open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	report, err := fuzz.Run(t.Context(), fuzz.Config{CRD: f.crd(t).CRD, Modules: []fuzz.Module{m}, Scope: scope, For: during})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestScope tests that fuzz tries all objects of a scope with a module, and that a mistake about two
// fields shows in scope 2.
func TestScope(t *testing.T) {
	specs := []string{`{mode: {type: string, enum: [x, y]}, old: {type: boolean}}`, `{mode: {type: string, enum: [x, y]}, new: {type: boolean}}`}
	right := enumerated(t, fixture{specs: specs, rules: "- {rename: spec.old, to: spec.new}\n"}, 3, time.Minute)
	// Of each version: nothing; an empty spec, old or new twice. Both fields have 4 values, but mode is not declared beyond scope 1.
	if !slices.Equal(right.Scopes, []int{2, 2 * (1 + 2 + 2)}) || right.Objects != 12 || len(right.Findings) > 0 || right.Stopped != "" {
		t.Errorf("%s", encoded(t, right))
	}
	pair := fixture{specs: specs, rules: "- {rename: spec.old, to: spec.new, when: {path: spec.mode, equals: x, not: true}}\n"}
	one, two := enumerated(t, pair, 1, time.Minute), enumerated(t, pair, 3, time.Minute)
	lost := slices.IndexFunc(two.Findings, func(f fuzz.Finding) bool { return Loses(&f) })
	if slices.ContainsFunc(one.Findings, func(f fuzz.Finding) bool { return Loses(&f) }) || lost < 0 || two.Findings[lost].Fields > 3 {
		t.Errorf("%s\n%s", encoded(t, one), encoded(t, two))
	}
	// The time is over, and the report says so.
	short := enumerated(t, fixture{specs: specs, rules: "- {rename: spec.old, to: spec.new}\n"}, 3, 1)
	if len(short.Scopes) > 0 || short.Stopped == "" {
		t.Errorf("%s", encoded(t, short))
	}
}
