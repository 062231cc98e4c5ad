// Package extract finds the declarations that the conversions of a kind need, and copies them: whole, or
// as stubs.
package extract

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// From follows every declaration that the roots name, directly or indirectly, across packages. A
// method is reached if it is named, or if a type has all methods of an interface that is reached.
func From(p *operator.Program, roots []types.Object, proof *Proof, swap bool) (*Extraction, error) {
	p.Declare()
	x := &Extraction{program: p, Units: p.Units, inits: p.Inits, Reached: map[*code.Unit]bool{}, effects: map[string]bool{}, Proof: proof, Swap: swap}
	r := &reacher{Extraction: x, interfaces: map[string]bool{}, visited: map[types.Type]bool{}}
	r.addInterface([]string{"Error"})
	for _, o := range roots {
		r.reach(o)
	}
	for {
		for len(r.queue) > 0 {
			u := r.queue[0]
			r.queue = r.queue[1:]
			if err := r.follow(u); err != nil {
				return nil, err
			}
		}
		before := len(r.Reached)
		r.reachMethods()
		r.reachInits()
		if len(r.Reached) == before && !r.reachJSON() && !r.reachEffects(roots) {
			return x, nil
		}
	}
}

// reacher is the search for the declarations of an extraction.
type reacher struct {
	*Extraction
	queue      []*code.Unit
	interfaces map[string]bool // methods of interfaces that are reached, sorted and joined
	sets       [][]string      // the same
	visited    map[types.Type]bool
	json       bool // encoding/json is used by more than the methods of known types
}

// reach queues the unit that declares o, if it is not of the standard library.
func (r *reacher) reach(o types.Object) {
	switch f := o.(type) {
	case *types.Func:
		o = f.Origin()
	case *types.Var:
		o = f.Origin()
	}
	if u := r.Units[o]; u != nil {
		r.reachUnit(u)
	}
}

func (r *reacher) reachUnit(u *code.Unit) {
	if !r.Reached[u] {
		r.Reached[u] = true
		r.queue = append(r.queue, u)
	}
}

// follow reaches the declarations that a unit names.
func (r *reacher) follow(u *code.Unit) error {
	if err := r.refuse(u); err != nil {
		return err
	}
	info := u.Package.TypesInfo
	_, kept := r.copy(u)
	for _, o := range u.Defs {
		if name, ok := o.(*types.TypeName); ok {
			if named, ok := name.Type().(*types.Named); ok {
				r.named = append(r.named, named)
			}
		}
	}
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if o := info.Uses[n]; o != nil {
				r.reach(o)
				r.visit(o.Type())
			}
		case *ast.CompositeLit:
			if t := info.Types[n].Type; t != nil {
				if s, ok := t.Underlying().(*types.Struct); ok {
					for i := range s.NumFields() {
						r.visit(s.Field(i).Type())
					}
				}
			}
		case ast.Expr:
			r.visit(info.Types[n].Type)
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
				r.reach(named.Origin().Obj())
			}
		}
	}
	return nil
}

// visit notes the interfaces in a type.
func (r *reacher) visit(t types.Type) {
	if t == nil || r.visited[t] {
		return
	}
	r.visited[t] = true
	switch t := t.(type) {
	case *types.Alias:
		r.visit(types.Unalias(t))
	case *types.Pointer, *types.Slice, *types.Array, *types.Chan, *types.Map:
		for _, inner := range code.Elements(t) {
			r.visit(inner)
		}
	case *types.Tuple:
		for v := range t.Variables() {
			r.visit(v.Type())
		}
	case *types.Signature:
		r.visit(t.Params())
		r.visit(t.Results())
		for i := range t.TypeParams().Len() {
			r.visit(t.TypeParams().At(i).Constraint())
		}
	case *types.TypeParam:
		r.visit(t.Constraint())
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			r.visit(t.TypeArgs().At(i))
		}
		if i, ok := t.Underlying().(*types.Interface); ok {
			r.visit(i)
		}
	case *types.Interface:
		var names []string
		for i := range t.NumMethods() {
			names = append(names, t.Method(i).Name())
		}
		r.addInterface(names)
	}
}

// reachJSON reaches the methods of known types once a declaration uses encoding/json on values; it
// says whether anything changed.
func (r *reacher) reachJSON() bool {
	if r.json || r.Swap { // the SDK's package knows these types, too
		return false
	}
	for u := range r.Reached {
		ast.Inspect(u.Node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if f, ok := u.Package.TypesInfo.Uses[id].(*types.Func); ok && f.Pkg() != nil {
					switch f.Pkg().Path() {
					case "encoding/json", "encoding/json/v2":
						r.json = true
					}
				}
			}
			return true
		})
	}
	return r.json
}

// knownTypes are encoded by the SDK's codec without their methods, which need encoding/json.
func knownTypes() []string {
	const meta = "k8s.io/apimachinery/pkg/apis/meta/v1."
	return []string{meta + "Time", meta + "MicroTime", meta + "Duration", meta + "FieldsV1",
		"k8s.io/apimachinery/pkg/util/intstr.IntOrString", "k8s.io/apimachinery/pkg/runtime.RawExtension"}
}

func (r *reacher) addInterface(methods []string) {
	slices.Sort(methods)
	if key := strings.Join(methods, " "); key != "" && !r.interfaces[key] {
		r.interfaces[key] = true
		r.sets = append(r.sets, methods)
	}
}

// reachMethods reaches the methods of types that may be called by way of interfaces: all of an
// interface, if the type has each of these names.
func (r *reacher) reachMethods() {
	for _, named := range r.named {
		if types.IsInterface(named) {
			continue
		}
		methods := map[string]*types.Func{}
		set := types.NewMethodSet(types.NewPointer(named))
		for i := range set.Len() {
			if f, ok := set.At(i).Obj().(*types.Func); ok {
				methods[f.Name()] = f
			}
		}
		if len(methods) == 0 {
			continue
		}
		for _, names := range r.sets {
			if !slices.ContainsFunc(names, func(n string) bool { return methods[n] == nil }) {
				for _, n := range names {
					r.reachMethod(methods[n])
				}
			}
		}
		for _, n := range calls.ByName() {
			r.reachMethod(methods[n])
		}
		if r.Proof != nil && r.Proof.Shown[named.Obj()] {
			for _, n := range calls.Texts() {
				r.reachMethod(methods[n])
			}
		}
	}
}

func (r *reacher) reachMethod(f *types.Func) {
	if f == nil || f.Signature().Recv() == nil || types.IsInterface(f.Signature().Recv().Type()) {
		return
	}
	if (f.Name() == "MarshalJSON" || f.Name() == "UnmarshalJSON") && !r.json && slices.Contains(knownTypes(), discover.Receiver(f)) {
		return
	}
	r.reach(f)
}

// reachInits reaches the init functions that mention a variable that is reached.
func (r *reacher) reachInits() {
	for _, list := range r.inits {
		for _, u := range list {
			if r.Reached[u] {
				continue
			}
			ast.Inspect(u.Node, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if v, ok := u.Package.TypesInfo.Uses[id].(*types.Var); ok && r.Units[v] != nil && r.Reached[r.Units[v]] && !r.Reached[u] {
						r.Reached[u] = true
						r.queue = append(r.queue, u)
					}
				}
				return true
			})
		}
	}
}

// reachEffects reaches the initialisers that change a variable which conversions mention, also by
// way of functions that they call: an init function, or a variable whose initial value is the
// result of such a function. It reports whether anything changed.
func (r *reacher) reachEffects(roots []types.Object) bool {
	if r.Proof == nil {
		return false
	}
	before := len(r.Reached)
	for _, u := range r.Search().Initialisers(roots) {
		r.reachUnit(u)
		r.effects[u.Package.PkgPath] = true
	}
	return len(r.Reached) > before
}

// refuse names declarations that cannot be copied.
func (r *reacher) refuse(u *code.Unit) error {
	position := r.program.Fset.Position(u.Node.Pos())
	at := fmt.Sprintf("%s:%d", filepath.Base(position.Filename), position.Line)
	name := ""
	if len(u.Defs) > 0 {
		name = u.Defs[0].Name()
	}
	refused := func(what string) error {
		return fmt.Errorf("%s.%s (%s) cannot be adopted: %s; a conversion that needs it has to be written by hand", u.Package.PkgPath, name, at, what)
	}
	if f, ok := u.Node.(*ast.FuncDecl); ok && f.Body == nil {
		return refused("the function has no body in Go, but one in assembly or by go:linkname")
	}
	for _, c := range u.File.Comments {
		for _, line := range c.List {
			fields := strings.Fields(line.Text)
			if len(fields) > 1 && fields[0] == "//go:linkname" && fields[1] == name {
				return refused("it is linked by go:linkname")
			}
			if len(fields) > 0 && fields[0] == "//go:embed" && line.End() <= u.Node.Pos() && r.program.Fset.Position(line.End()).Line+1 == position.Line {
				return refused("it is embedded by go:embed")
			}
		}
	}
	return nil
}
