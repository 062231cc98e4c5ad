package state

import (
	"go/ast"
	"go/token"
	"slices"
)

// tree is the syntax of a file, with the way up from each node.
type tree struct {
	file    *ast.File
	imports map[string]string // paths by name
	parents map[ast.Node]ast.Node
}

func newTree(file *ast.File, imports map[string]string) *tree {
	t := &tree{file: file, imports: imports, parents: map[ast.Node]ast.Node{}}
	var above []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return false
		}
		if len(above) > 0 {
			t.parents[n] = above[len(above)-1]
		}
		above = append(above, n)
		return true
	})
	return t
}

// function returns the declaration of the function that a node is in.
func (t *tree) function(n ast.Node) *ast.FuncDecl {
	for ; n != nil; n = t.parents[n] {
		if f, ok := n.(*ast.FuncDecl); ok {
			return f
		}
	}
	return nil
}

// parameter returns a parameter of a function that the file declares, and the function's body.
func (t *tree) parameter(name string, n int) (*ast.Ident, *ast.BlockStmt) {
	for _, d := range t.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Name.Name != name || f.Body == nil {
			continue
		}
		for _, p := range f.Type.Params.List {
			for _, id := range p.Names {
				if _, several := p.Type.(*ast.Ellipsis); n == 0 && !several {
					return id, f.Body
				}
				n--
			}
		}
	}
	return nil, nil
}

// isName reports whether an identifier is the name of a field or method, and no variable.
func (t *tree) isName(id *ast.Ident) bool {
	switch p := t.parents[id].(type) {
	case *ast.SelectorExpr:
		return p.Sel == id
	case *ast.KeyValueExpr:
		return p.Key == id
	}
	return false
}

// declares reports whether a variable is declared in a function, so that no other function has its name.
func (t *tree) declares(in *ast.FuncDecl, name string) (found bool) {
	ast.Inspect(in.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			found = found || slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return id.Name == name })
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				id, ok := left.(*ast.Ident)
				found = found || ok && id.Name == name && n.Tok == token.DEFINE
			}
		}
		return !found
	})
	return found
}

// replaced reports whether a name declares a variable of a function, or a statement gives it another
// value: that changes no memory that the old value leads to.
func (t *tree) replaced(id *ast.Ident) bool {
	switch p := t.parents[id].(type) {
	case *ast.ValueSpec:
		return slices.Contains(p.Names, id)
	case *ast.AssignStmt:
		return slices.ContainsFunc(p.Lhs, func(e ast.Expr) bool { return e == id })
	}
	return false
}
