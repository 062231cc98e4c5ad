// Package sdk has the source files of the SDKs. Commands write them into projects, so that authors
// need no clone of the repository.
package sdk

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The lists name each directory: those of npm and of build output lie beside them in a clone.
//
//go:embed assemblyscript/*.json assemblyscript/*.mjs assemblyscript/assembly
//go:embed c/*.c c/*.h cpp/*.hpp go
//go:embed javascript/*.js javascript/*.json javascript/*.ts javascript/engine javascript/pack
//go:embed rust/Cargo.* rust/src zig/src
//go:embed assemblyscript/LICENSE c/LICENSE cpp/LICENSE javascript/LICENSE rust/LICENSE zig/LICENSE
var files embed.FS

// GoMod is the go.mod of this module, which has the SDK for Go in its directory go.
//
//go:embed go.mod
var GoMod []byte

// Languages returns the names of the SDKs, which are those of their directories.
func Languages() []string {
	return []string{"assemblyscript", "c", "cpp", "go", "javascript", "rust", "zig"}
}

// Files returns the source files of a language's SDK, without its tests and documentation. Paths
// begin below the directory of the language, for example crosswalk.h. The file system is read-only
// and safe for concurrent use.
func Files(language string) (fs.FS, error) {
	if !slices.Contains(Languages(), language) {
		return nil, fmt.Errorf("there is no SDK for %q: must be one of %s", language, strings.Join(Languages(), ", "))
	}
	tree, err := fs.Sub(files, language)
	return sourceTree{tree}, err
}

// sourceTree lists a tree without tests and documentation, which go:embed cannot leave out.
type sourceTree struct{ fs.FS }

func (s sourceTree) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == "testdata" || path.Ext(e.Name()) == ".md" || strings.HasSuffix(e.Name(), "_test.go")
	}), err
}
