package imports

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTree tests that each package has a comment that begins with its name, and that the table of the
// tree in contributing.md has the packages of host and runtime, and no others.
func TestTree(t *testing.T) {
	lookAt(t, root)
	var out []byte
	for _, dir := range modules() {
		list := exec.Command("go", "list", "-C", filepath.Join(root, dir), "-f", "{{if .GoFiles}}{{.ImportPath}} {{.Name}} {{.Doc}}{{end}}", "./...")
		packages, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, packages...)
	}
	page, err := os.ReadFile(root + "/docs/develop/contributing.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^((?:host|runtime)(?:/\w+)?) `).FindAllStringSubmatch(string(page), -1) {
		listed[row[1]] = true
	}
	for line := range strings.Lines(strings.TrimSpace(string(out))) {
		if strings.TrimSpace(line) == "" {
			continue // a package of tests
		}
		path, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, doc, _ := strings.Cut(rest, " ")
		path = strings.TrimPrefix(path, project)
		if prefix := "Package " + name + " "; !strings.HasPrefix(doc, prefix) && name != "main" || doc == "" {
			t.Errorf("%s: the package comment begins with %q, not with %q", path, doc, prefix)
		}
		if top, _, _ := strings.Cut(path, "/"); (top == "host" || top == "runtime") && !isInternal(path) {
			if !listed[path] {
				t.Errorf("the tree in contributing.md does not have %s", path)
			}
			delete(listed, path)
		}
	}
	for path := range listed {
		t.Errorf("the tree in contributing.md has %s, and there is no such package", path)
	}
}
