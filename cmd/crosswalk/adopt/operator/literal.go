package operator

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

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
