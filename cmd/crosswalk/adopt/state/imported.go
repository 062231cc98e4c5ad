package state

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// blank finds the packages that the operator's repository imports for their init functions alone, such
// as plugins of other modules.
type blank struct {
	dirs map[string][]string // import paths by a directory that has a file with the import
	read map[string]bool
}

// note notes the blank imports of a file.
func (b *blank) note(name string, file *ast.File) {
	if file == nil {
		return
	}
	for _, spec := range file.Imports {
		at := strings.Trim(spec.Path.Value, "`\"")
		if first, _, _ := strings.Cut(at, "/"); spec.Name != nil && spec.Name.Name == "_" && strings.Contains(first, ".") && !b.read[at] {
			b.read[at] = true
			b.dirs[filepath.Dir(name)] = append(b.dirs[filepath.Dir(name)], at)
		}
	}
}

// files calls do for the files of these packages, and of those that they import in the same way. The
// packages of loaded ones are left out, and packages that are not in the module cache: nothing is
// downloaded.
func (b *blank) files(loaded map[string]*packages.Package, do func(name, path string, text []byte)) {
	for len(b.dirs) > 0 {
		var dir string
		for dir = range b.dirs {
			break
		}
		paths := b.dirs[dir]
		delete(b.dirs, dir)
		paths = slices.DeleteFunc(paths, func(path string) bool { return loaded[path] != nil })
		if len(paths) == 0 {
			continue
		}
		list, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles, Dir: dir, Env: append(os.Environ(), "GOPROXY=off")}, paths...)
		if err != nil {
			continue // a package of a module that is not there: no build has it either
		}
		for _, pkg := range list {
			for _, name := range pkg.GoFiles {
				if text, err := os.ReadFile(name); err == nil {
					file, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
					b.note(name, file)
					do(name, pkg.PkgPath, text)
				}
			}
		}
	}
}
