package adopt

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// TestHostileRepository looks for samples and converters in a repository with a link, which could lead to
// a device without an end, and with a Go file that is too large.
func TestHostileRepository(t *testing.T) {
	source, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
	const object = `{"apiVersion":"demo.example.com/v1","kind":"Demo"}`
	large := append([]byte("package a // NewSpokeConverter\n"), bytes.Repeat([]byte("\n"), 16<<20)...)
	for name, text := range map[string]string{
		elsewhere:                          object,
		filepath.Join(source, "large.go"):  string(large),
		filepath.Join(source, "small.go"):  "package a // NewSpokeConverter\n",
		filepath.Join(source, "file.yaml"): object[:len(object)-1] + `,"spec":{}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, filepath.Join(source, "link.yaml")); err != nil {
		t.Skip(err)
	}
	found, err := operator.SourceFiles(source, "NewSpokeConverter")
	if err != nil || len(found) != 1 || filepath.Base(found[0].Name) != "small.go" {
		t.Errorf("%d Go files are read, %v", len(found), err)
	}
	k := discover.Resource{Name: "Demo", Group: "demo.example.com"}
	k.Hub.APIVersion = "demo.example.com/v1"
	var read []string
	o := Options{Objects: func(text []byte) []json.RawMessage {
		read = append(read, string(text))
		return nil
	}}
	p := &operator.Program{Initial: []*packages.Package{{Module: &packages.Module{Dir: source, Version: "v1.0.0"}}}}
	o.samples(p, k, map[string][]json.RawMessage{}, map[string]bool{})
	if len(read) != 1 || read[0] == object {
		t.Errorf("%q are read", read)
	}
}
