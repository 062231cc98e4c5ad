package verify

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

// TestAlertsStay: the alert of a lost field is the same in a run that found another value.
func TestAlertsStay(t *testing.T) {
	prints := map[string]int{}
	for _, f := range []fuzz.Finding{
		{Property: fuzz.Lost, From: "v1", To: "v2", Path: "spec.a", Detail: "was 1, is absent"},
		{Property: fuzz.Lost, From: "v1", To: "v2", Path: "spec.a", Detail: "was 2, is absent"},
		{Property: fuzz.Lost, From: "v1", To: "v2", Path: "spec.b", Detail: "was 2, is absent"},
	} {
		var out bytes.Buffer
		report := output.NewReport(&out, output.SARIF, true)
		report.Add(findings([]string{"a.wasm"}, &fuzz.Report{Findings: []fuzz.Finding{f}}, "passed", nil)...)
		if err := report.Close(); err != nil {
			t.Fatal(err)
		}
		var log struct {
			Runs []struct {
				Results []struct{ PartialFingerprints json.RawMessage }
			}
		}
		if err := json.Unmarshal(out.Bytes(), &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 {
			t.Fatalf("%v: %s", err, out.Bytes())
		}
		prints[string(log.Runs[0].Results[0].PartialFingerprints)]++
	}
	if len(prints) != 2 {
		t.Errorf("the fingerprints are %v", prints)
	}
}

// TestSaveLarge saves an object near the size limit in a file of its own: a sidecar has no place
// for it.
func TestSaveLarge(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "found")
	findings := []fuzz.Finding{{Property: fuzz.Size, From: "v1", To: "v2", Path: "spec.a", Object: []byte(`{"a":"x"}`), Large: []byte(`{"a":"xxxx"}`)}}
	if err := saveFindings(dir, "Thing.example.com", findings); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "Thing.example.com_v1_to_v2_large1.json"))
	if all, _ := os.ReadDir(dir); err != nil || string(text) != `{"a":"xxxx"}` || len(all) != 1 {
		t.Errorf("%v %s %v", err, text, all)
	}
}
