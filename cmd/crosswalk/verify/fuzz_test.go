package verify

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
)

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
