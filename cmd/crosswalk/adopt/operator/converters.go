package operator

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
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

// span is the place of a function literal in its file, in bytes, and the name that it gets.
type span struct {
	from, to int
	name     string
}

// LiteralPrefix begins the names of literals' functions.
const LiteralPrefix = "CrosswalkConverter"

// hoisted are function literals in calls of NewSpokeConverter, by file. A declaration is added to
// the file for each: a function with the literal's text and a name, which other packages can call.
type hoisted map[string][]span

// Named returns the text of a file with the declarations.
func (h hoisted) Named(file string, text []byte) []byte {
	var b bytes.Buffer
	b.Write(text)
	for _, l := range h[file] {
		fmt.Fprintf(&b, "\n// %s is a function literal above.\nfunc %[1]s%s\n", l.name, bytes.TrimPrefix(text[l.from:l.to], []byte("func")))
	}
	return b.Bytes()
}

// LiteralName returns the name of a literal's function: it tells the place.
func (p *Program) LiteralName(literal *ast.FuncLit) string {
	at := p.Fset.Position(literal.Pos())
	return fmt.Sprintf("%s%dx%d", LiteralPrefix, at.Line, at.Column)
}

// literals returns the function literals in calls of NewSpokeConverter that need no variable around
// them.
func (p *Program) literals() hoisted {
	found := hoisted{}
	for _, pkg := range p.Initial {
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || CalledName(pkg, call) != NewSpoke {
					return true
				}
				for _, argument := range call.Args {
					literal, ok := ast.Unparen(argument).(*ast.FuncLit)
					if !ok {
						continue
					}
					if _, variable := Captured(pkg, literal); variable == nil {
						from := p.Fset.Position(literal.Pos())
						found[from.Filename] = append(found[from.Filename], span{from.Offset, p.offset(literal.End()), p.LiteralName(literal)})
					}
				}
				return true
			})
		}
	}
	for _, list := range found {
		slices.SortFunc(list, func(a, b span) int { return a.from - b.from })
	}
	return found
}

func (p *Program) offset(at token.Pos) int { return p.Fset.Position(at).Offset }
