package state

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
)

var majorElement = regexp.MustCompile(`^v[0-9]+$`)

// file looks at one file, of the package own.
func (o *outside) file(set *token.FileSet, file *ast.File, own string) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(p)
		if majorElement.MatchString(name) && o.p.All[p] == nil {
			name = path.Base(path.Dir(p))
		}
		if pkg := o.p.All[p]; pkg != nil {
			name = pkg.Name
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = p
	}
	note := func(s symbol, n ast.Node) {
		at := set.Position(n.Pos())
		o.found[s] = append(o.found[s], o.place.Name(at))
	}
	// variable returns the variable that an expression is a part of.
	var variable func(e ast.Expr) (symbol, bool)
	variable = func(e ast.Expr) (symbol, bool) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			return variable(e.X)
		case *ast.StarExpr:
			return variable(e.X)
		case *ast.IndexExpr:
			return variable(e.X)
		case *ast.SliceExpr:
			return variable(e.X)
		case *ast.Ident:
			if s := (symbol{imports["."], e.Name}); o.variables[s] {
				return s, true
			}
			s := symbol{own, e.Name}
			return s, o.variables[s]
		case *ast.SelectorExpr:
			if id, ok := e.X.(*ast.Ident); ok && imports[id.Name] != "" {
				s := symbol{imports[id.Name], e.Sel.Name}
				return s, o.variables[s]
			}
			return variable(e.X)
		}
		return symbol{}, false
	}
	change := func(e ast.Expr, n ast.Node) {
		if s, ok := variable(e); ok {
			note(s, n)
		}
	}
	l := o.newLeaked(file, imports)
	leak := func(s symbol, n ast.Node) {
		if object := o.leaks[s]; object != nil && l.fresh().changes(n, object.Type()) {
			o.leaked[object] = append(o.leaked[object], o.place.Name(set.Position(n.Pos())))
		}
	}
	fills := func(s symbol, n ast.Expr, methods bool) {
		for _, x := range o.outs[s] {
			if isMethod(x.of) == methods && l.fresh().fills(n, x.n) {
				o.filled[x] = append(o.filled[x], o.place.Name(set.Position(n.Pos())))
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if n.Tok != token.DEFINE {
					change(e, e)
				}
			}
		case *ast.IncDecStmt:
			change(n.X, n)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				change(n.X, n)
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				change(n.Key, n)
				change(n.Value, n)
			}
		case *ast.CallExpr:
			name := ""
			switch f := n.Fun.(type) {
			case *ast.SelectorExpr:
				if name = f.Sel.Name; changes.MatchString(name) {
					change(f.X, n)
				}
			case *ast.Ident:
				name = f.Name
			}
			if changes.MatchString(name) || name == "delete" || name == "clear" || name == "copy" {
				for _, e := range n.Args {
					change(e, n)
				}
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && imports[id.Name] != "" {
				s := symbol{imports[id.Name], n.Sel.Name}
				if o.functions[s] {
					note(s, n)
				}
				leak(s, n)
				fills(s, n, false)
				return true
			}
			if s, ok := variable(n.X); ok && l.changesReceiver(n, s) {
				note(s, n)
			}
			for _, field := range o.fields[n.Sel.Name] {
				if l.fresh().field(n, field, own) {
					o.leaked[field] = append(o.leaked[field], o.place.Name(set.Position(n.Pos())))
				}
			}
			for field := range l.through(n) {
				if l.fresh().selector(n, field.Type()) {
					o.leaked[field] = append(o.leaked[field], o.place.Name(set.Position(n.Pos())))
				}
			}
			for _, path := range imports { // a method, perhaps
				s := symbol{path, n.Sel.Name}
				if o.functions[s] {
					note(s, n)
				}
				if isMethod(o.leaks[s]) {
					leak(s, n)
				}
				fills(s, n, true)
			}
		case *ast.Ident:
			for _, path := range []string{own, imports["."]} {
				s := symbol{path, n.Name}
				if o.functions[s] {
					note(s, n)
				}
				leak(s, n)
				fills(s, n, false)
			}
		}
		return true
	})
}
