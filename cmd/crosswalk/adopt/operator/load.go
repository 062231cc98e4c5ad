// Package operator loads the operator's packages, from the repository around them or as a published
// module, with the packages that make converters of their types and with set-up code.
package operator

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
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
	Hoisted hoisted

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
// converters of their types. It loads twice if a converter has function literals: the second time,
// these have names.
func Load(ctx context.Context, w Workplace) (*Program, error) {
	p, err := w.load(ctx, nil)
	if err != nil {
		return nil, err
	}
	if literals := p.literals(); len(literals) > 0 {
		return w.load(ctx, literals)
	}
	return p, nil
}

// load loads packages with names for some function literals. Of the standard library the bodies of
// functions are left out: nothing of it is copied.
func (w Workplace) load(ctx context.Context, literals hoisted) (*Program, error) {
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
	p := &Program{Program: code.New(fset), source: map[string][]byte{}, Named: map[string]bool{}, Hoisted: literals}
	p.Roots = w.Roots
	std := filepath.Join(root, "src") + string(filepath.Separator)
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedSyntax,
		Context: ctx, Dir: dir, Fset: fset, Overlay: files,
		Env: append(w.environment(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"),
		ParseFile: func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
			if len(literals[name]) > 0 {
				text = literals.Named(name, text)
			}
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
		if len(p.Hoisted[name]) > 0 {
			text = p.Hoisted.Named(name, text)
		}
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
