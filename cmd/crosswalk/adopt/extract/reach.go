// Package extract finds the declarations that the conversions of a kind need, and copies them: whole,
// as stubs, or as opaque types that are carried as text.
package extract

import (
	"go/ast"
	"go/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// From follows every declaration that the roots name, directly or indirectly, across packages. A
// method is reached if it is named, or if a type has all methods of an interface that is reached.
// Of types that are hidden nothing is followed.
func From(p *operator.Program, roots []types.Object, hidden *Opaque, swap bool) (*Extraction, error) {
	p.Declare()
	x := &Extraction{
		program: p, Units: p.Units, inits: p.Inits, Reached: map[*code.Unit]bool{},
		interfaces: map[string]bool{}, visited: map[types.Type]bool{}, effects: map[string]bool{}, Hidden: hidden, Swap: swap,
	}
	x.addInterface([]string{"Error"})
	for _, o := range roots {
		x.reach(o)
	}
	for {
		for len(x.queue) > 0 {
			u := x.queue[0]
			x.queue = x.queue[1:]
			if err := x.follow(u); err != nil {
				return nil, err
			}
		}
		before := len(x.Reached)
		x.reachMethods()
		x.reachInits()
		if len(x.Reached) == before && !x.reachJSON() && !x.reachEffects(roots) {
			return x, nil
		}
	}
}

// follow reaches the declarations that a unit names.
func (x *Extraction) follow(u *code.Unit) error {
	if err := x.refuse(u); err != nil {
		return err
	}
	info := u.Package.TypesInfo
	_, kept := x.copy(u)
	if kept == nil {
		return nil
	}
	for _, o := range u.Defs {
		if name, ok := o.(*types.TypeName); ok {
			if named, ok := name.Type().(*types.Named); ok {
				x.named = append(x.named, named)
			}
		}
	}
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if o := info.Uses[n]; o != nil {
				x.reach(o)
				x.visit(o.Type())
			}
		case *ast.CompositeLit:
			if t := info.Types[n].Type; t != nil {
				if s, ok := t.Underlying().(*types.Struct); ok {
					for i := range s.NumFields() {
						x.visit(s.Field(i).Type())
					}
				}
			}
		case ast.Expr:
			x.visit(info.Types[n].Type)
		}
		return true
	}
	for _, node := range kept {
		ast.Inspect(node, look)
	}
	if f, ok := u.Node.(*ast.FuncDecl); ok && f.Recv != nil {
		if o := u.Defs[0].(*types.Func); o.Signature().Recv() != nil {
			t := o.Signature().Recv().Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			if named, ok := t.(*types.Named); ok {
				x.reach(named.Origin().Obj())
			}
		}
	}
	return nil
}

// visit notes the interfaces in a type.
func (x *Extraction) visit(t types.Type) {
	if t == nil || x.visited[t] {
		return
	}
	x.visited[t] = true
	switch t := t.(type) {
	case *types.Alias:
		x.visit(types.Unalias(t))
	case *types.Pointer:
		x.visit(t.Elem())
	case *types.Slice:
		x.visit(t.Elem())
	case *types.Array:
		x.visit(t.Elem())
	case *types.Chan:
		x.visit(t.Elem())
	case *types.Map:
		x.visit(t.Key())
		x.visit(t.Elem())
	case *types.Tuple:
		for i := range t.Len() {
			x.visit(t.At(i).Type())
		}
	case *types.Signature:
		x.visit(t.Params())
		x.visit(t.Results())
		for i := range t.TypeParams().Len() {
			x.visit(t.TypeParams().At(i).Constraint())
		}
	case *types.TypeParam:
		x.visit(t.Constraint())
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			x.visit(t.TypeArgs().At(i))
		}
		if i, ok := t.Underlying().(*types.Interface); ok {
			x.visit(i)
		}
	case *types.Interface:
		var names []string
		for i := range t.NumMethods() {
			names = append(names, t.Method(i).Name())
		}
		x.addInterface(names)
	}
}

// reachInits reaches the init functions that mention a variable that is reached.
func (x *Extraction) reachInits() {
	for _, list := range x.inits {
		for _, u := range list {
			if x.Reached[u] {
				continue
			}
			ast.Inspect(u.Node, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if v, ok := u.Package.TypesInfo.Uses[id].(*types.Var); ok && x.Units[v] != nil && x.Reached[x.Units[v]] && !x.Reached[u] {
						x.Reached[u] = true
						x.queue = append(x.queue, u)
					}
				}
				return true
			})
		}
	}
}

// reachJSON reaches the methods of known types once a declaration uses encoding/json on values; it
// says whether anything changed.
func (x *Extraction) reachJSON() bool {
	if x.json || x.Swap { // the SDK's package knows these types, too
		return false
	}
	for u := range x.Reached {
		ast.Inspect(u.Node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if f, ok := u.Package.TypesInfo.Uses[id].(*types.Func); ok && f.Pkg() != nil {
					switch f.Pkg().Path() {
					case "encoding/json", "encoding/json/v2":
						x.json = true
					}
				}
			}
			return true
		})
	}
	return x.json
}
