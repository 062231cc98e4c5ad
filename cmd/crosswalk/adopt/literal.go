package adopt

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

// literalPrefix begins the names of literals' functions.
const literalPrefix = "CrosswalkConverter"

// hoisted are function literals in calls of NewSpokeConverter, by file. A declaration is added to
// the file for each: a function with the literal's text and a name, which other packages can call.
type hoisted map[string][]span

// named returns the text of a file with the declarations.
func (h hoisted) named(file string, text []byte) []byte {
	var b bytes.Buffer
	b.Write(text)
	for _, l := range h[file] {
		fmt.Fprintf(&b, "\n// %s is a function literal above.\nfunc %[1]s%s\n", l.name, bytes.TrimPrefix(text[l.from:l.to], []byte("func")))
	}
	return b.Bytes()
}

// literalName returns the name of a literal's function: it tells the place.
func (p *program) literalName(literal *ast.FuncLit) string {
	at := p.Fset.Position(literal.Pos())
	return fmt.Sprintf("%s%dx%d", literalPrefix, at.Line, at.Column)
}

// literals returns the function literals in calls of NewSpokeConverter that need no variable around
// them.
func (p *program) literals() hoisted {
	found := hoisted{}
	for _, pkg := range p.initial {
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || calledName(pkg, call) != newSpoke {
					return true
				}
				for _, argument := range call.Args {
					literal, ok := ast.Unparen(argument).(*ast.FuncLit)
					if !ok {
						continue
					}
					if _, variable := captured(pkg, literal); variable == nil {
						from := p.Fset.Position(literal.Pos())
						found[from.Filename] = append(found[from.Filename], span{from.Offset, p.offset(literal.End()), p.literalName(literal)})
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

func (p *program) offset(at token.Pos) int { return p.Fset.Position(at).Offset }
