package prove

import (
	"slices"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
)

// TestFuzzFindsMistakeOfTwoFields tests that few generated objects show a mistake about the values of
// two fields together, with an object that has little else.
func TestFuzzFindsMistakeOfTwoFields(t *testing.T) {
	specs := []string{`{mode: {type: string, enum: [x, y]}, old: {type: boolean}}`, `{mode: {type: string, enum: [x, y]}, new: {type: boolean}}`}
	report := func(f fixture) *fuzz.Report {
		file, _ := f.parsed(t)
		return fuzzed(t, file, f.crd(t), 100, false)
	}
	right := report(fixture{specs: specs, rules: "- {rename: spec.old, to: spec.new}\n"})
	if len(right.Findings) > 0 || right.Objects != 100 {
		t.Errorf("%s", encoded(t, right))
	}
	pair := report(fixture{specs: specs, rules: "- {rename: spec.old, to: spec.new, when: {path: spec.mode, equals: x, not: true}}\n"})
	lost := slices.IndexFunc(pair.Findings, func(f fuzz.Finding) bool { return Loses(&f) })
	if lost < 0 || pair.Findings[lost].Fields > 3 {
		t.Errorf("%s", encoded(t, pair))
	}
}
