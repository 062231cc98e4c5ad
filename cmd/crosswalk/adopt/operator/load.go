// Package operator loads the operator's packages, from the repository around them or as a published
// module, with the packages that make converters of their types and with set-up code.
package operator

import (
	"bytes"
	"context"
	"fmt"
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

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
)

// Program is the operator's packages with all that they import, as they are compiled for a module.
type Program struct {
	*code.Program
	Initial []*packages.Package
	source  map[string][]byte // of files that declarations are copied from
	Named   map[string]bool   // the paths in initial that the user named

	SetUp *setUp // nil without --set-up
}

// NamedPackages returns the packages that the user named, without those that were added because
// they make converters of these packages' types.
func (p *Program) NamedPackages() (named []*packages.Package) {
	for _, pkg := range p.Initial {
		if p.Named[pkg.PkgPath] {
			named = append(named, pkg)
		}
	}
	return named
}

// Load loads packages and their dependencies with syntax and types, and the packages that make
// converters of their types. Of the standard library the bodies of functions are left out: nothing of it
// is copied.
func Load(ctx context.Context, w Workplace) (*Program, error) {
	dir, patterns := w.Dir, append(w.Patterns[:len(w.Patterns):len(w.Patterns)], w.Converters...)
	files, pattern, err := w.overlay(ctx)
	if err != nil {
		return nil, err
	}
	if pattern != "" {
		patterns = append(patterns, pattern)
	}
	fset := token.NewFileSet()
	root, err := gocmd.Output(ctx, dir, "env", "GOROOT")
	if err != nil {
		return nil, fmt.Errorf("finding the standard library: %w", err)
	}
	p := &Program{Program: code.New(fset), source: map[string][]byte{}, Named: map[string]bool{}}
	p.Roots = w.Roots
	std := filepath.Join(root, "src") + string(filepath.Separator)
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedSyntax,
		Context: ctx, Dir: dir, Fset: fset, Overlay: files,
		Env: append(w.environment(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"),
		ParseFile: func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution|parser.ParseComments)
			if file != nil && strings.HasPrefix(name, std) {
				for _, d := range file.Decls {
					if f, ok := d.(*ast.FuncDecl); ok {
						f.Body = nil
					}
				}
			}
			return file, err
		},
	}
	initial, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, notLoaded(ctx, err)
	}
	p.Initial = initial
	for _, pkg := range initial {
		p.Named[pkg.PkgPath] = !slices.Contains(w.Converters, pkg.PkgPath)
		if pkg.Module != nil {
			p.Modules[pkg.Module.Path] = true
		}
		if len(pkg.Errors) > 0 && pkg.Types == nil || len(pkg.Syntax) == 0 {
			if err := p.needsC(pkg); err != nil {
				return nil, err
			}
			why := "it has no Go files for wasip1/wasm"
			if len(pkg.Errors) > 0 {
				why = gocmd.Relevant(pkg.Errors[0].Msg)
			}
			return nil, fmt.Errorf("the package %s cannot be loaded: %s", pkg.PkgPath, why)
		}
	}
	packages.Visit(initial, func(pkg *packages.Package) bool {
		if pkg.Module != nil {
			p.All[pkg.PkgPath] = pkg
		}
		return true
	}, nil)
	if len(p.All) == 0 {
		return nil, fmt.Errorf("the packages %s belong to no Go module: run crosswalk adopt in a directory with a go.mod, or name packages as path@version", strings.Join(patterns, " "))
	}
	if pattern != "" {
		return p, p.takeSetUp(files)
	}
	return p, nil
}

// Text returns the source of a file.
func (p *Program) Text(name string) ([]byte, error) {
	if text, ok := p.source[name]; ok {
		return text, nil
	}
	text, err := os.ReadFile(name)
	if err == nil {
		p.source[name] = text
	}
	return text, err
}

// notLoaded returns the error of a load, without most of go's output.
func notLoaded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("the packages cannot be loaded: %s", gocmd.Relevant(err.Error()))
}

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

// DoesNotCompile returns the error for a package that a conversion needs and that has errors.
func (p *Program) DoesNotCompile(pkg *packages.Package, err error) error {
	if err := p.needsC(pkg); err != nil {
		return err
	}
	return fmt.Errorf("the package %s does not compile for wasip1/wasm: %w", pkg.PkgPath, err)
}

// needsC returns an error if a file of the package imports "C" and is left out for that reason.
func (p *Program) needsC(pkg *packages.Package) error {
	for _, name := range pkg.IgnoredFiles {
		if filepath.Ext(name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(p.Fset, name, nil, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, spec := range file.Imports {
			if spec.Path.Value == `"C"` {
				return fmt.Errorf("the package %s cannot be adopted: %s imports \"C\", and a module has no C libraries; a conversion that needs it has to be written by hand", pkg.PkgPath, p.At(spec.Pos()))
			}
		}
	}
	return nil
}
