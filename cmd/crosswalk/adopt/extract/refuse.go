package extract

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// refuse names declarations that cannot be copied.
func (r *reacher) refuse(u *code.Unit) error {
	position := r.program.Fset.Position(u.Node.Pos())
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
			if len(fields) > 0 && fields[0] == "//go:embed" && line.End() <= u.Node.Pos() && r.program.Fset.Position(line.End()).Line+1 == position.Line {
				return refused("it is embedded by go:embed")
			}
		}
	}
	return nil
}
