package adopt

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// stores finds the functions that change a variable: its value, or memory that it points to.
type stores struct {
	s      *proof
	p      *program
	params map[*ssa.Parameter]token.Pos
	inits  map[*ssa.Global][]*unit // made by initialisers
}

// changes are names of functions and methods that change their receiver or argument. They decide
// for functions without syntax, those of the standard library, and for methods of interfaces.
var changes = regexp.MustCompile(`^(Must)?(Set|Store|Add|Put|Insert|Register|Delete|Remove|Swap|CompareAndSwap|LoadOr|LoadAnd|Write|Push|Append|Update|Reset|Clear|Unmarshal|Decode|Scan|Sort|Copy|Override|Install)|VarP?$`)

// changed returns the position of the first instruction of a unit that changes a variable; NoPos if
// there is none.
func (w *stores) changed(u *unit, g *ssa.Global) token.Pos {
	if f, ok := u.node.(*ast.FuncDecl); ok {
		return w.in(w.s.declared(u, f), g)
	}
	pkg := w.s.ssa.Package(u.pkg.Types)
	w.s.build(pkg)
	for _, i := range w.s.initial(pkg, u) {
		if p := w.mention(i, g); p != token.NoPos {
			return p
		}
	}
	if f := pkg.Func("init"); f != nil {
		for _, inner := range f.AnonFuncs {
			if u.node.Pos() <= inner.Pos() && inner.Pos() <= u.node.End() {
				if p := w.in(inner, g); p != token.NoPos {
					return p
				}
			}
		}
	}
	return token.NoPos
}

// declared returns the SSA form of a function's declaration.
func (s *proof) declared(u *unit, f *ast.FuncDecl) *ssa.Function {
	pkg := s.ssa.Package(u.pkg.Types)
	s.build(pkg)
	if f.Recv == nil && f.Name.Name == "init" {
		for _, m := range pkg.Members {
			if m, ok := m.(*ssa.Function); ok && m.Syntax() == f {
				return m
			}
		}
		return nil
	}
	if o, ok := u.defs[0].(*types.Func); ok {
		return s.ssa.FuncValue(o)
	}
	return nil
}

func (w *stores) in(f *ssa.Function, g *ssa.Global) token.Pos {
	if f == nil {
		return token.NoPos
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if p := w.mention(i, g); p != token.NoPos {
				return p
			}
		}
	}
	for _, inner := range f.AnonFuncs {
		if p := w.in(inner, g); p != token.NoPos {
			return p
		}
	}
	return token.NoPos
}

// mention returns the position of the change if an instruction mentions a variable to change it.
func (w *stores) mention(i ssa.Instruction, g *ssa.Global) token.Pos {
	if slices.ContainsFunc(i.Operands(nil), func(v *ssa.Value) bool { return *v == g }) {
		return w.use(i, g, true, map[ssa.Value]bool{})
	}
	return token.NoPos
}

// uses looks for a change among the uses of a value: the address of the variable, or a pointer that
// was found in it.
func (w *stores) uses(v ssa.Value, address bool, seen map[ssa.Value]bool) token.Pos {
	if seen[v] || v.Referrers() == nil {
		return token.NoPos
	}
	seen[v] = true
	for _, i := range *v.Referrers() {
		if p := w.use(i, v, address, seen); p != token.NoPos {
			return p
		}
	}
	return token.NoPos
}

func (w *stores) use(i ssa.Instruction, v ssa.Value, address bool, seen map[ssa.Value]bool) token.Pos {
	switch i := i.(type) {
	case *ssa.Store:
		if i.Addr == v || address { // or the address itself is kept somewhere
			return i.Pos()
		}
	case *ssa.MapUpdate:
		if i.Map == v {
			return i.Pos()
		}
	case *ssa.Send:
		if i.Chan == v {
			return i.Pos()
		}
	case *ssa.UnOp:
		if i.Op == token.MUL && refers(i.Type()) {
			return w.uses(i, false, seen)
		}
	case *ssa.MakeClosure:
		for n, bound := range i.Bindings {
			if bound == v {
				if p := w.uses(i.Fn.(*ssa.Function).FreeVars[n], address, seen); p != token.NoPos {
					return p
				}
			}
		}
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Phi, *ssa.ChangeType, *ssa.Convert, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.TypeAssert, *ssa.Slice:
		return w.uses(i.(ssa.Value), address, seen)
	case *ssa.Lookup, *ssa.Index, *ssa.Field, *ssa.Extract:
		if refers(i.(ssa.Value).Type()) {
			return w.uses(i.(ssa.Value), false, seen)
		}
	case ssa.CallInstruction:
		if w.passed(i.Common(), v, address) {
			return i.Pos()
		}
	}
	return token.NoPos
}

// refers reports whether a value of a type leads to other memory.
func refers(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice, *types.Chan, *types.Interface, *types.Tuple, *types.Struct:
		return true
	}
	return false
}

// passed reports whether a call changes what it is given.
func (w *stores) passed(c *ssa.CallCommon, v ssa.Value, address bool) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return len(c.Args) > 0 && c.Args[0] == v && (b.Name() == "delete" || b.Name() == "clear" || b.Name() == "copy")
	}
	if c.IsInvoke() {
		return c.Value == v && changes.MatchString(c.Method.Name())
	}
	f := c.StaticCallee()
	if f == nil {
		return address && c.Value != v
	}
	if origin := f.Origin(); origin != nil {
		f = origin
	}
	if w.s.build(f.Pkg); len(f.Blocks) == 0 {
		return refers(v.Type()) && changes.MatchString(f.Name())
	}
	for n, argument := range c.Args {
		if argument == v && n < len(f.Params) && w.parameter(f.Params[n]) {
			return true
		}
	}
	return false
}

// parameter reports whether a function changes memory that a parameter points to.
func (w *stores) parameter(p *ssa.Parameter) bool {
	at, ok := w.params[p]
	if !ok {
		w.params[p] = token.NoPos // of a recursive call
		at = w.uses(p, false, map[ssa.Value]bool{})
		w.params[p] = at
	}
	return at != token.NoPos
}
