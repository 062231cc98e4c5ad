// Package sdk has the source files of the SDKs. Commands write them into projects, so that authors
// need no clone of the repository.
package sdk

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"
)

// The lists name each directory: those of npm and of build output lie beside them in a clone.
//
//go:embed assemblyscript/*.json assemblyscript/*.mjs assemblyscript/assembly
//go:embed c/*.c c/*.h cpp/*.hpp
//go:embed javascript/*.js javascript/*.json javascript/*.ts javascript/engine javascript/pack
//go:embed rust/Cargo.* rust/src zig/src
//go:embed assemblyscript/LICENSE c/LICENSE cpp/LICENSE javascript/LICENSE rust/LICENSE zig/LICENSE
var files embed.FS

// goFiles is an archive, because go:embed does not read a directory with a go.mod of its own.
//
//go:generate go test . -run TestFiles -update
//go:embed go.txtar
var goFiles []byte

// openGo parses goFiles once.
var openGo = sync.OnceValues(func() (fs.FS, error) { return txtar.FS(txtar.Parse(goFiles)) })

// Languages returns the names of the SDKs, which are those of their directories.
func Languages() []string {
	return []string{"assemblyscript", "c", "cpp", "go", "javascript", "rust", "zig"}
}

// Files returns the source files of a language's SDK, without its tests and documentation. Paths
// begin below the directory of the language, for example crosswalk.h. The file system is read-only
// and safe for concurrent use.
func Files(language string) (fs.FS, error) {
	switch {
	case !slices.Contains(Languages(), language):
		return nil, fmt.Errorf("there is no SDK for %q: must be one of %s", language, strings.Join(Languages(), ", "))
	case language == "go":
		return openGo()
	}
	return fs.Sub(files, language)
}
