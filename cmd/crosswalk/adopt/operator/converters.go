package operator

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Functions of controller-runtime's package pkg/webhook/conversion, since v0.23.
const (
	NewSpoke    = "NewSpokeConverter"
	NewHubSpoke = "NewHubSpokeConverter"
)

// converterWords are in every file that makes a converter.
func converterWords() []string {
	return []string{NewSpoke + "(", NewSpoke + "[", NewHubSpoke + "(", NewHubSpoke + "["}
}

// CalledName returns the name of a called function, if it is of controller-runtime's package
// conversion, or if its package could not be type-checked.
func CalledName(pkg *packages.Package, call *ast.CallExpr) string {
	id := IdentOf(Uninstantiated(call.Fun))
	if id == nil || id.Name != NewSpoke && id.Name != NewHubSpoke {
		return ""
	}
	if o := pkg.TypesInfo.Uses[id]; o != nil && (o.Pkg() == nil || !strings.HasSuffix(o.Pkg().Path(), "sigs.k8s.io/controller-runtime/pkg/webhook/conversion")) {
		return ""
	}
	return id.Name
}

// Uninstantiated returns a generic function without its type arguments.
func Uninstantiated(e ast.Expr) ast.Expr {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return e.X
	case *ast.IndexListExpr:
		return e.X
	default:
		return e
	}
}

// At returns a place as file:line.
func (p *Program) At(pos token.Pos) string {
	position := p.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(position.Filename), position.Line)
}

func IdentOf(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}
