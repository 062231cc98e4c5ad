package plugins_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNativeJavaScript runs the vectors against the converters in Node.js itself, as an author's
// own tests do.
func TestNativeJavaScript(t *testing.T) {
	t.Parallel() // with the other compilers
	need(t, "javascript")
	sdk, err := filepath.Abs("../sdk/javascript")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range converters(t) {
		if c.language != "javascript" {
			continue
		}
		t.Run(c.plugin, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(c.plugin, c.language, "*.js"))
			if err != nil || len(files) != 1 {
				t.Fatalf("%v, %v", files, err)
			}
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "node_modules"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(sdk, filepath.Join(dir, "node_modules", "crosswalk-javascript")); err != nil {
				t.Fatal(err)
			}
			converter, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			test := fmt.Sprintf("import { vectors } from 'crosswalk-javascript/testing.js';\nimport './converter.mjs';\nvectors(%q);\n", goldenFile(c.plugin))
			for name, text := range map[string]string{"converter.mjs": string(converter), "vectors.test.mjs": test} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			node := exec.Command("node", "--test", "--test-reporter=tap", "vectors.test.mjs")
			node.Dir = dir
			if out, err := node.CombinedOutput(); err != nil || strings.Contains(string(out), "# pass 0") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
