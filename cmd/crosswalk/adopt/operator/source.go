package operator

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// SourceFile is a Go file of the operator's repository or module that is read without its types,
// because most of the operator's packages are not loaded.
type SourceFile struct {
	Name string
	text []byte
	Fset *token.FileSet
	Tree *ast.File
}

// maxSource bounds a file that is read, in bytes: generated files have one or two MB.
const maxSource = 16 << 20

// SourceFiles returns the Go files below a directory that contain one of the words. Tests, vendor
// trees, testdata, hidden directories, projects that the command wrote and files of more than maxSource
// are left out. A file that cannot be parsed is left out, too: its package cannot be compiled.
func SourceFiles(root string, words ...string) (found []SourceFile, err error) {
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name != root && (base == "vendor" || base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "adopt.lock")); err == nil {
				return filepath.SkipDir // the command wrote it, with copies of the operator's files
			}
			return nil
		}
		if !entry.Type().IsRegular() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		if info, err := entry.Info(); err != nil || info.Size() > maxSource {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) }) {
			return nil
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil
		}
		found = append(found, SourceFile{name, text, fset, tree})
		return nil
	})
	return found, err
}

// Imported returns the import path that a name in the file stands for; "" if it is not an import.
func (f SourceFile) Imported(name string) string {
	for _, spec := range f.Tree.Imports {
		at, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && guessName(at) == name {
			return at
		}
	}
	return ""
}

// Imports reports whether the file imports a package.
func (f SourceFile) Imports(path string) bool {
	return slices.ContainsFunc(f.Tree.Imports, func(spec *ast.ImportSpec) bool { return strings.Trim(spec.Path.Value, "`\"") == path })
}

// guessName returns the name that a package most likely has: the last element of its path that is
// not a major version of a module.
func guessName(at string) string {
	base := path.Base(at)
	if _, err := strconv.Atoi(strings.TrimPrefix(base, "v")); err == nil && strings.HasPrefix(base, "v") && strings.Count(at, "/") == 3 && strings.HasPrefix(at, "github.com/") {
		return path.Base(path.Dir(at))
	}
	return base
}
