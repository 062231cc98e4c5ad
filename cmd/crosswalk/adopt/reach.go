package adopt

import (
	"go/ast"
	"go/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"golang.org/x/tools/go/packages"
)

// extraction is the part of a program that its roots need.
type extraction struct {
	program *program
	units   map[types.Object]*code.Unit // of every declaration
	inits   map[*packages.Package][]*code.Unit
	reached map[*code.Unit]bool
	effects map[string]bool // packages with initialisers that change variables of others, or by way of functions
	queue   []*code.Unit

	named      []*types.Named  // reached
	interfaces map[string]bool // methods of interfaces that are reached, sorted and joined
	sets       [][]string      // the same
	visited    map[types.Type]bool
	json       bool   // encoding/json is used by more than the methods of known types
	kept       string // why the copies use encoding/json; "" if they need not
	swap       bool   // the copies import the SDK's package json for encoding/json
	hidden     *opaque
}

// extract follows every declaration that the roots name, directly or indirectly, across packages. A
// method is reached if it is named, or if a type has all methods of an interface that is reached.
// Of types that are hidden nothing is followed.
func extract(p *program, roots []types.Object, hidden *opaque, swap bool) (*extraction, error) {
	p.Declare()
	x := &extraction{
		program: p, units: p.Units, inits: p.Inits, reached: map[*code.Unit]bool{},
		interfaces: map[string]bool{}, visited: map[types.Type]bool{}, effects: map[string]bool{}, hidden: hidden, swap: swap,
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
		before := len(x.reached)
		x.reachMethods()
		x.reachInits()
		if len(x.reached) == before && !x.reachJSON() && !x.reachEffects(roots) {
			return x, nil
		}
	}
}

// reach queues the unit that declares o, if it is not of the standard library.
func (x *extraction) reach(o types.Object) {
	switch f := o.(type) {
	case *types.Func:
		o = f.Origin()
		if x.hidden.drops(f.Origin()) {
			return
		}
	case *types.Var:
		o = f.Origin()
	}
	if u := x.units[o]; u != nil {
		x.reachUnit(u)
	}
}

func (x *extraction) reachUnit(u *code.Unit) {
	if !x.reached[u] {
		x.reached[u] = true
		x.queue = append(x.queue, u)
	}
}

// follow reaches the declarations that a unit names.
func (x *extraction) follow(u *code.Unit) error {
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
func (x *extraction) visit(t types.Type) {
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
func (x *extraction) reachInits() {
	for _, list := range x.inits {
		for _, u := range list {
			if x.reached[u] {
				continue
			}
			ast.Inspect(u.Node, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if v, ok := u.Package.TypesInfo.Uses[id].(*types.Var); ok && x.units[v] != nil && x.reached[x.units[v]] && !x.reached[u] {
						x.reached[u] = true
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
func (x *extraction) reachJSON() bool {
	if x.json || x.swap { // the SDK's package knows these types, too
		return false
	}
	for u := range x.reached {
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
