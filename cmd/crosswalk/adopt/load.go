package adopt

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// program is the operator's packages with all that they import, as they are compiled for a module.
type program struct {
	fset    *token.FileSet
	initial []*packages.Package
	all     map[string]*packages.Package // by path, without the standard library
	source  map[string][]byte            // of files that declarations are copied from
}

// load loads packages and their dependencies with syntax and types. Of the standard library the
// bodies of functions are left out: nothing of it is copied.
func load(ctx context.Context, dir string, patterns []string) (*program, error) {
	fset := token.NewFileSet()
	root, err := goOutput(ctx, dir, "env", "GOROOT")
	if err != nil {
		return nil, fmt.Errorf("finding the standard library: %w", err)
	}
	std := filepath.Join(root, "src") + string(filepath.Separator)
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedSyntax,
		Context: ctx, Dir: dir, Fset: fset,
		Env: append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"),
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
		return nil, fmt.Errorf("the packages cannot be loaded: %w", err)
	}
	p := &program{fset: fset, initial: initial, all: map[string]*packages.Package{}, source: map[string][]byte{}}
	for _, pkg := range initial {
		if len(pkg.Errors) > 0 && pkg.Types == nil || len(pkg.Syntax) == 0 {
			why := "it has no Go files for wasip1/wasm"
			if len(pkg.Errors) > 0 {
				why = pkg.Errors[0].Msg
			}
			return nil, fmt.Errorf("the package %s cannot be loaded: %s", pkg.PkgPath, why)
		}
	}
	packages.Visit(initial, func(pkg *packages.Package) bool {
		if pkg.Module != nil {
			p.all[pkg.PkgPath] = pkg
		}
		return true
	}, nil)
	if len(p.all) == 0 {
		return nil, fmt.Errorf("the packages %s belong to no Go module: run crosswalk adopt in a directory with a go.mod, or name packages as path@version", strings.Join(patterns, " "))
	}
	return p, nil
}

// text returns the source of a file.
func (p *program) text(name string) ([]byte, error) {
	if text, ok := p.source[name]; ok {
		return text, nil
	}
	text, err := os.ReadFile(name)
	if err == nil {
		p.source[name] = text
	}
	return text, err
}
