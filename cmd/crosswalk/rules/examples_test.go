package rules

import (
	"os"
	"path/filepath"
	"testing"
)

// TestExamplesCompile compiles the rules of every example converter.
func TestExamplesCompile(t *testing.T) {
	files, err := filepath.Glob("../../../plugins/*/rules/rules.yaml")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(content)
		if err != nil {
			t.Errorf("%s:%v", file, err)
			continue
		}
		module, err := f.Module()
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		t.Logf("%s: %v, %d bytes", f.ModuleName(), f.declared.Fields, len(module))
		if out := os.Getenv("RULES_OUT"); out != "" {
			os.WriteFile(filepath.Join(out, f.ModuleName()), module, 0o644)
		}
	}
}
