package state

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// syntax is files of the operator's repository with the types that are known.
type syntax struct {
	fset     *token.FileSet
	info     *types.Info
	files    []*ast.File
	parents  map[ast.Node]ast.Node
	declared map[types.Object]*ast.FuncDecl
	uses     map[types.Object][]*ast.Ident // made by usesOf
	seen     map[ast.Node]bool             // expressions of one question
}

func newSyntax() syntax {
	return syntax{
		fset:    token.NewFileSet(),
		info:    &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}},
		parents: map[ast.Node]ast.Node{}, seen: map[ast.Node]bool{},
	}
}

// note adds a file, with the way up from each of its nodes.
func (l *syntax) note(file *ast.File) {
	l.files = append(l.files, file)
	var above []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return false
		}
		if len(above) > 0 {
			l.parents[n] = above[len(above)-1]
		}
		above = append(above, n)
		return true
	})
}

func (l *syntax) fileOf(n ast.Node) *ast.File {
	for ; n != nil; n = l.parents[n] {
		if file, ok := n.(*ast.File); ok {
			return file
		}
	}
	return nil
}

// imports reports whether a file imports a package.
func imports(file *ast.File, path string) bool {
	for _, spec := range file.Imports {
		if at, _ := strconv.Unquote(spec.Path.Value); at == path {
			return true
		}
	}
	return false
}

// usesOf returns the mentions of a variable of a function.
func (l *syntax) usesOf(v types.Object) []*ast.Ident {
	if l.uses == nil {
		l.uses = map[types.Object][]*ast.Ident{}
		for id, of := range l.info.Uses {
			l.uses[of] = append(l.uses[of], id)
		}
	}
	return l.uses[v]
}

// declaration returns the declaration of a function in these files; nil if it is elsewhere.
func (l *syntax) declaration(f types.Object) *ast.FuncDecl {
	if l.declared == nil {
		l.declared = map[types.Object]*ast.FuncDecl{}
		for _, file := range l.files {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && l.info.Defs[d.Name] != nil {
					l.declared[l.info.Defs[d.Name]] = d
				}
			}
		}
	}
	return l.declared[f]
}

// typeOf returns the type of an expression; nil if it is not known.
func (l *syntax) typeOf(e ast.Expr) types.Type {
	if t := l.info.TypeOf(e); t != nil && t != types.Typ[types.Invalid] {
		return t
	}
	return nil
}
