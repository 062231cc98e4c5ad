package rawjson_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type document struct {
	name string
	doc  []byte
}

// documents returns the documents in testdata: objects as an API server stores and sends them, and
// one with indentation.
func documents(t testing.TB) []document {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) < 12 {
		t.Fatalf("documents in testdata: %d, %v", len(paths), err)
	}
	var all []document
	for _, path := range paths {
		doc, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, document{strings.TrimSuffix(filepath.Base(path), ".json"), doc})
	}
	return all
}
