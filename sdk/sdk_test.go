package sdk

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write go.txtar instead of comparing it")

// TestFiles compares the files in the program with those of the tree.
func TestFiles(t *testing.T) {
	for _, language := range Languages() {
		t.Run(language, func(t *testing.T) {
			tree := sources(t, language)
			if language == "go" && *update {
				if err := os.WriteFile("go.txtar", archive(t, tree), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			have, err := Files(language)
			if err != nil {
				t.Fatal(err)
			}
			const remedy = "run go generate ./sdk, or correct the lists in sdk.go"
			seen := 0
			for name, text := range tree {
				got, err := fs.ReadFile(have, name)
				if err != nil || !bytes.Equal(got, text) {
					t.Errorf("%s/%s is missing or differs (%v): %s", language, name, err, remedy)
				}
			}
			err = fs.WalkDir(have, ".", func(name string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() {
					seen++
					if tree[name] == nil {
						t.Errorf("%s/%s is not in the tree: %s", language, name, remedy)
					}
				}
				return err
			})
			if err != nil || seen == 0 {
				t.Errorf("%d files: %v", seen, err)
			}
		})
	}
}

// sources reads the files of a language's directory, without tests, documentation and build output.
func sources(t *testing.T, language string) map[string][]byte {
	t.Helper()
	tree := map[string][]byte{}
	dir := os.DirFS(language)
	err := fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if slices.Contains([]string{"node_modules", "build", "target", "test", "testdata"}, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || path.Ext(name) == ".md" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(entry.Name(), "."):
			return nil
		}
		tree[name], err = fs.ReadFile(dir, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// archive formats files as go.txtar, in the order of their names.
func archive(t *testing.T, tree map[string][]byte) []byte {
	t.Helper()
	a := txtar.Archive{Comment: []byte("The SDK for Go, as crosswalk writes it into projects. Written by go generate ./sdk. DO NOT EDIT.\n\n")}
	for name, text := range tree {
		a.Files = append(a.Files, txtar.File{Name: name, Data: text})
	}
	slices.SortFunc(a.Files, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	return txtar.Format(&a)
}

func TestFilesOfUnknownLanguage(t *testing.T) {
	if _, err := Files("cobol"); err == nil || !strings.Contains(err.Error(), "must be one of assemblyscript, c,") {
		t.Errorf("got %v", err)
	}
}
