package adopt

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// unit is a declaration that is copied as a whole: a function, a type, the variables of one statement, or constants that
// belong together.
type unit struct {
	pkg  *packages.Package
	file *ast.File
	node ast.Node    // *ast.FuncDecl, ast.Spec, or *ast.GenDecl of constants
	tok  token.Token // of a spec
	defs []types.Object
}

// extraction is the part of a program that its roots need.
type extraction struct {
	program *program
	units   map[types.Object]*unit // of every declaration
	inits   map[*packages.Package][]*unit
	reached map[*unit]bool
	queue   []*unit

	named      []*types.Named  // reached
	interfaces map[string]bool // methods of interfaces that are reached, sorted and joined
	sets       [][]string      // the same
	visited    map[types.Type]bool
	json       bool // encoding/json is used by more than the methods of known types
	hidden     *opaque
}

// byName are methods that are called by way of interfaces of the standard library that no declaration need mention.
func byName() []string {
	return []string{"Error", "Unwrap", "Is", "As", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "IsZero"}
}

// texts are those that fmt calls.
func texts() []string { return []string{"String", "GoString", "Format"} }

// knownTypes are encoded by the SDK's codec without their methods, which need encoding/json.
func knownTypes() []string {
	const meta = "k8s.io/apimachinery/pkg/apis/meta/v1."
	return []string{meta + "Time", meta + "MicroTime", meta + "Duration", meta + "FieldsV1",
		"k8s.io/apimachinery/pkg/util/intstr.IntOrString", "k8s.io/apimachinery/pkg/runtime.RawExtension"}
}

// extract follows every declaration that the roots name, directly or indirectly, across packages. A method is reached if it is
// named, or if a type has all methods of an interface that is reached. Of types that are hidden nothing is followed.
func extract(p *program, roots []types.Object, hidden *opaque) (*extraction, error) {
	x := &extraction{
		program: p, units: map[types.Object]*unit{}, inits: map[*packages.Package][]*unit{}, reached: map[*unit]bool{},
		interfaces: map[string]bool{}, visited: map[types.Type]bool{}, hidden: hidden,
	}
	for _, pkg := range p.all {
		x.index(pkg)
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
		if len(x.reached) == before && !x.reachJSON() {
			return x, nil
		}
	}
}

// index finds the unit of each declaration of a package.
func (x *extraction) index(pkg *packages.Package) {
	info := pkg.TypesInfo
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				u := &unit{pkg: pkg, file: file, node: f}
				if o := info.Defs[f.Name]; o != nil {
					u.defs = []types.Object{o}
					x.units[o] = u
				} else {
					x.inits[pkg] = append(x.inits[pkg], u)
				}
				if f.Name.Name == "init" && f.Recv == nil {
					x.inits[pkg] = append(x.inits[pkg], u)
				}
				continue
			}
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok == token.IMPORT {
				continue
			}
			together := &unit{pkg: pkg, file: file, node: gen}
			for _, spec := range gen.Specs {
				u := &unit{pkg: pkg, file: file, node: spec, tok: gen.Tok}
				if gen.Tok == token.CONST && repeats(gen) {
					u = together
				}
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					u.defs = append(u.defs, info.Defs[spec.Name])
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if o := info.Defs[name]; o != nil {
							u.defs = append(u.defs, o)
						}
					}
				}
				for _, o := range u.defs {
					x.units[o] = u
				}
			}
		}
	}
}

// repeats says whether constants depend on those before them.
func repeats(gen *ast.GenDecl) bool {
	for _, spec := range gen.Specs {
		if len(spec.(*ast.ValueSpec).Values) == 0 || mentions(spec, "iota") {
			return true
		}
	}
	return false
}

func mentions(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return true
	})
	return found
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
	if u := x.units[o]; u != nil && !x.reached[u] {
		x.reached[u] = true
		x.queue = append(x.queue, u)
	}
}

// follow reaches the declarations that a unit names.
func (x *extraction) follow(u *unit) error {
	if err := x.refuse(u); err != nil {
		return err
	}
	info := u.pkg.TypesInfo
	if _, replaced := x.hidden.replacement(x, u); replaced {
		return nil
	}
	for _, o := range u.defs {
		if name, ok := o.(*types.TypeName); ok {
			if named, ok := name.Type().(*types.Named); ok {
				x.named = append(x.named, named)
			}
		}
	}
	ast.Inspect(u.node, func(n ast.Node) bool {
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
	})
	if f, ok := u.node.(*ast.FuncDecl); ok && f.Recv != nil {
		if o := u.defs[0].(*types.Func); o.Signature().Recv() != nil {
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

func (x *extraction) addInterface(methods []string) {
	slices.Sort(methods)
	if key := strings.Join(methods, " "); key != "" && !x.interfaces[key] {
		x.interfaces[key] = true
		x.sets = append(x.sets, methods)
	}
}

// reachMethods reaches the methods of types that may be called by way of interfaces: all of an interface, if the type has each
// of these names.
func (x *extraction) reachMethods() {
	for _, named := range x.named {
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
		for _, names := range x.sets {
			if !slices.ContainsFunc(names, func(n string) bool { return methods[n] == nil }) {
				for _, n := range names {
					x.reachMethod(methods[n])
				}
			}
		}
		for _, n := range byName() {
			x.reachMethod(methods[n])
		}
		if x.hidden.keepText(named.Obj()) {
			for _, n := range texts() {
				x.reachMethod(methods[n])
			}
		}
	}
}

func (x *extraction) reachMethod(f *types.Func) {
	if f == nil || f.Signature().Recv() == nil || types.IsInterface(f.Signature().Recv().Type()) {
		return
	}
	if (f.Name() == "MarshalJSON" || f.Name() == "UnmarshalJSON") && !x.json && slices.Contains(knownTypes(), receiver(f)) {
		return
	}
	x.reach(f)
}

// receiver returns the full name of a method's type.
func receiver(f *types.Func) string {
	t := f.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path() + "." + named.Obj().Name()
	}
	return ""
}

// reachInits reaches the init functions that mention a variable that is reached.
func (x *extraction) reachInits() {
	for _, list := range x.inits {
		for _, u := range list {
			if x.reached[u] {
				continue
			}
			ast.Inspect(u.node, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if v, ok := u.pkg.TypesInfo.Uses[id].(*types.Var); ok && x.units[v] != nil && x.reached[x.units[v]] && !x.reached[u] {
						x.reached[u] = true
						x.queue = append(x.queue, u)
					}
				}
				return true
			})
		}
	}
}

// reachJSON reaches the methods of known types once a declaration uses encoding/json on values; it says whether anything changed.
func (x *extraction) reachJSON() bool {
	if x.json {
		return false
	}
	for u := range x.reached {
		ast.Inspect(u.node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if f, ok := u.pkg.TypesInfo.Uses[id].(*types.Func); ok && f.Pkg() != nil {
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

// refuse names declarations that cannot be copied.
func (x *extraction) refuse(u *unit) error {
	position := x.program.fset.Position(u.node.Pos())
	at := fmt.Sprintf("%s:%d", filepath.Base(position.Filename), position.Line)
	name := ""
	if len(u.defs) > 0 {
		name = u.defs[0].Name()
	}
	refused := func(what string) error {
		return fmt.Errorf("%s.%s (%s) cannot be adopted: %s; a conversion that needs it has to be written by hand", u.pkg.PkgPath, name, at, what)
	}
	if f, ok := u.node.(*ast.FuncDecl); ok && f.Body == nil {
		return refused("the function has no body in Go, but one in assembly or by go:linkname")
	}
	for _, c := range u.file.Comments {
		for _, line := range c.List {
			fields := strings.Fields(line.Text)
			if len(fields) > 1 && fields[0] == "//go:linkname" && fields[1] == name {
				return refused("it is linked by go:linkname")
			}
			if len(fields) > 0 && fields[0] == "//go:embed" && line.End() <= u.node.Pos() && x.program.fset.Position(line.End()).Line+1 == position.Line {
				return refused("it is embedded by go:embed")
			}
		}
	}
	return nil
}
