package sdk

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestFiles compares the files in the program with those of the tree.
func TestFiles(t *testing.T) {
	for _, language := range Languages() {
		t.Run(language, func(t *testing.T) {
			tree := sources(t, language)
			have, err := Files(language)
			if err != nil {
				t.Fatal(err)
			}
			const remedy = "correct the lists in sdk.go"
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

func TestFilesOfUnknownLanguage(t *testing.T) {
	if _, err := Files("cobol"); err == nil || !strings.Contains(err.Error(), "must be one of assemblyscript, c,") {
		t.Errorf("got %v", err)
	}
}
