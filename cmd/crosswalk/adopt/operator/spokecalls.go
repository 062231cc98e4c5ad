package operator

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
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

// Captured returns a variable that a function literal uses and that is declared in the function
// around it.
func Captured(pkg *packages.Package, literal *ast.FuncLit) (name string, found *types.Var) {
	ast.Inspect(literal, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || found != nil {
			return found == nil
		}
		v, ok := pkg.TypesInfo.Uses[id].(*types.Var)
		if ok && !v.IsField() && v.Parent() != nil && v.Parent() != pkg.Types.Scope() && v.Pkg() == pkg.Types && (v.Pos() < literal.Pos() || v.Pos() >= literal.End()) {
			name, found = id.Name, v
		}
		return found == nil
	})
	return name, found
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
