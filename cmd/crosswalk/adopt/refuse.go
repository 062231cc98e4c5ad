package adopt

import (
	"fmt"
	"go/ast"
	"go/parser"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"golang.org/x/tools/go/packages"
)

// refuse names declarations that cannot be copied.
func (x *extraction) refuse(u *code.Unit) error {
	position := x.program.Fset.Position(u.Node.Pos())
	at := fmt.Sprintf("%s:%d", filepath.Base(position.Filename), position.Line)
	name := ""
	if len(u.Defs) > 0 {
		name = u.Defs[0].Name()
	}
	refused := func(what string) error {
		return fmt.Errorf("%s.%s (%s) cannot be adopted: %s; a conversion that needs it has to be written by hand", u.Package.PkgPath, name, at, what)
	}
	if f, ok := u.Node.(*ast.FuncDecl); ok && f.Body == nil {
		return refused("the function has no body in Go, but one in assembly or by go:linkname")
	}
	for _, c := range u.File.Comments {
		for _, line := range c.List {
			fields := strings.Fields(line.Text)
			if len(fields) > 1 && fields[0] == "//go:linkname" && fields[1] == name {
				return refused("it is linked by go:linkname")
			}
			if len(fields) > 0 && fields[0] == "//go:embed" && line.End() <= u.Node.Pos() && x.program.Fset.Position(line.End()).Line+1 == position.Line {
				return refused("it is embedded by go:embed")
			}
		}
	}
	return nil
}

// doesNotCompile returns the error for a package that a conversion needs and that has errors.
func (p *program) doesNotCompile(pkg *packages.Package, err error) error {
	if err := p.needsC(pkg); err != nil {
		return err
	}
	return fmt.Errorf("the package %s does not compile for wasip1/wasm: %w", pkg.PkgPath, err)
}

// needsC returns an error if a file of the package imports "C" and is left out for that reason.
func (p *program) needsC(pkg *packages.Package) error {
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
				return fmt.Errorf("the package %s cannot be adopted: %s imports \"C\", and a module has no C libraries; a conversion that needs it has to be written by hand", pkg.PkgPath, p.at(spec.Pos()))
			}
		}
	}
	return nil
}
