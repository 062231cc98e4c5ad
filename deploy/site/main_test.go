package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOutward tests which links lead to the repository.
func TestOutward(t *testing.T) {
	const page = "[a](../../deploy/README.md#images) [b](tasks.md#install) ![c](../spec/abi.md) [d](../../deploy/base) [e](https://example.com/../x)"
	const want = "[a](" + repository + "/blob/main/deploy/README.md#images) [b](tasks.md#install) ![c](../spec/abi.md) " +
		"[d](" + repository + "/tree/main/deploy/base) [e](https://example.com/../x)"
	if got, err := outward("../..", "use/attach.md", page); got != want || err != nil {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	if _, err := outward("../..", "use/attach.md", "[a](../../none.md)"); err == nil {
		t.Error("a link to nothing is accepted")
	}
}

// TestNavigation tests that the site's navigation has each page once.
func TestNavigation(t *testing.T) {
	_, nav, _ := strings.Cut(string(config), "\nnav:\n")
	var listed, there []string
	for _, m := range regexp.MustCompile(`(?m): (\S+\.md)$`).FindAllStringSubmatch(nav, -1) {
		listed = append(listed, m[1])
	}
	docs := os.DirFS("../../docs")
	err := fs.WalkDir(docs, ".", func(name string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".md") {
			there = append(there, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(listed)
	slices.Sort(there)
	if !slices.Equal(listed, there) {
		t.Errorf("mkdocs.yml lists\n%s\nand docs has\n%s", strings.Join(listed, "\n"), strings.Join(there, "\n"))
	}
}

// TestPrepare tests that all pages of the repository can be prepared.
func TestPrepare(t *testing.T) {
	out := t.TempDir()
	if err := prepare("../..", out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "pages", "README.md"))
	if err != nil || !strings.Contains(string(text), "("+repository+"/blob/main/deploy/README.md)") {
		t.Errorf("README.md: %v", err)
	}
}
