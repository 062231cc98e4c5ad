package verify

import (
	"bytes"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

// mixed is a report with findings of each class, some of which are acknowledged.
func mixed() *fuzz.Report {
	of := func(class, path, was, reason string) fuzz.Finding {
		return fuzz.Finding{Property: fuzz.Lost, Class: class, From: "v1", To: "v2", Path: path, At: path, Was: []byte(was), Object: []byte(`{}`), Objects: len(path), Reason: reason}
	}
	found := []fuzz.Finding{of(fuzz.ClassEmpty, "spec.b", `""`, ""), of(fuzz.ClassNoField, "spec.vlan", "7", ""), of(fuzz.ClassEmpty, "spec.port", "0", "")}
	found[1].Detail, found[1].Missing = "v2 has no spec.vlan", "spec.vlan"
	return &fuzz.Report{
		Objects: 9, Findings: found,
		Known:  []fuzz.Finding{of(fuzz.ClassEmpty, "status", "{}", "Go writes it"), of(fuzz.ClassValue, "spec.c", "true", "never read")},
		Unused: []fuzz.Unused{{From: "v1", To: "v2", Path: "spec.*", Class: fuzz.ClassNoField, Reason: "v2 is smaller"}},
	}
}

const foldedEmpty = "v1→v2→v1: 2 fields gain or lose an empty value, usually a zero value of Go: spec.b, spec.port"

func TestFuzzFoldsEmptyValues(t *testing.T) {
	var out bytes.Buffer
	o := fuzzOptions{files: &[]string{}, seed: 1, crd: "crd.yaml"}
	report := output.NewReport(&out, output.Table, true)
	report.Add(findings([]string{"m.wasm"}, mixed(), "", func(objects int) string { return o.again([]string{"m.wasm"}, objects) })...)
	writeMade(command.Streams{Out: &out}, mixed())
	want := `m.wasm
  FAIL   v1→v2→v1 spec.vlan: lost: was 7, is absent (v2 has no spec.vlan)
         object: {}
         repeat: crosswalk fuzz --seed=1 --objects=9 --crd crd.yaml m.wasm
  FAIL   ` + foldedEmpty + `
         list:   crosswalk fuzz --seed=1 --objects=9 --crd crd.yaml m.wasm -o json
  known  v1→v2→v1 spec.c: lost: was true, is absent
         never read
  known  v1→v2→v1: 1 field gains or loses an empty value, usually a zero value of Go: status
         Go writes it
  note   v1→v2 spec.* (noField): acknowledged, and did not occur
         v2 is smaller
9 objects, 1 findings and 2 about empty values, 2 acknowledged
`
	if out.String() != want {
		t.Errorf("%s\nwant:\n%s", &out, want)
	}
}

func TestTestFoldsEmptyValues(t *testing.T) {
	var out bytes.Buffer
	report := output.NewReport(&out, output.Table, true)
	report.Add(findings([]string{"m.wasm"}, mixed(), wholeAgain, nil)...)
	want := `m.wasm
  FAIL   v1→v2→v1 spec.vlan: lost: was 7, is absent (v2 has no spec.vlan)
         object: {}
  FAIL   ` + foldedEmpty + `
  known  v1→v2→v1 spec.c: lost: was true, is absent
         never read
  known  v1→v2→v1: 1 field gains or loses an empty value, usually a zero value of Go: status
         Go writes it
  note   v1→v2 spec.* (noField): acknowledged, and did not occur
         v2 is smaller
`
	if out.String() != want || !report.Failed() {
		t.Errorf("%s\nwant:\n%s", &out, want)
	}
}

// TestAdviceAcknowledges prints entries for a sidecar: one for a finding, and one for all empty
// values of a direction.
func TestAdviceAcknowledges(t *testing.T) {
	const head = "To accept a finding that is meant, list it in the sidecar, or in the file of rules:\n  lossy:\n"
	const value = "  - {from: v1, to: v2, path: \"spec.vlan\", reason: \"…\"}\n"
	const empty = "  - {from: v1, to: v2, path: \".*\", class: empty, reason: \"…\"}\n"
	all := mixed().Findings
	for want, found := range map[string][]fuzz.Finding{head + value + empty: all, head + empty: all[:1], head + value: all[1:2], "": nil} {
		var out strings.Builder
		if adviseLossy(&out, found); out.String() != want {
			t.Errorf("%s\nwant:\n%s", out.String(), want)
		}
	}
}
