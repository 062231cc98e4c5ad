package manifest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWriteKeepsOtherChange: somebody else writes a file between its plan and its write.
func TestWriteKeepsOtherChange(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pool.yaml")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const old = "apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: a}\n"
	put(old)
	r := &Rewriter{
		Match: func(_, version, _ string) bool { return version == "v1" },
		Convert: func(json.RawMessage) (json.RawMessage, []string, error) {
			return json.RawMessage(`{"apiVersion":"example.com/v2","kind":"Pool","metadata":{"name":"a"}}`), nil, nil
		},
	}
	changes, err := r.Plan([]string{file})
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	const others = old + "spec: {size: 1Gi}\n"
	put(others)
	if err := changes[0].Write(); err == nil || err.Error() != file+" has changed meanwhile: run the command again" {
		t.Errorf("writing ended with %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != others {
		t.Errorf("the file is %q, %v", text, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".crosswalk-*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files stay: %q, %v", left, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := changes[0].Write(); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("writing a file that is gone ended with %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file is there again")
	}
}
