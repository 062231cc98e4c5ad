package adopt

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// calls are the functions that some functions can call, found on their SSA form. An extraction
// follows names, and methods by the names of interfaces: it copies more than conversions can call.
type calls struct {
	x         *extraction
	s         *proof
	start     *start                 // nil for conversions
	functions map[*ssa.Function]bool // with a body, without stubs
	globals   map[*ssa.Global]bool   // that they mention, also of the standard library
	callers   map[*ssa.Function]*ssa.Function
	queue     []*ssa.Function
	places    map[any][]place // of variables, methods of interfaces, and functions without syntax

	concrete typeutil.Map // types whose values are put into interfaces
	shown    typeutil.Map // types whose values reflection and fmt reach
	methods  map[*types.Func]*types.Interface
	widened  []*types.Interface // interfaces whose values are put into ones of the standard library
}

// called returns the functions that roots can call, with the roots: by static calls, as values,
// by way of interfaces of types that called functions put into interfaces, and in the initial
// values of variables that they mention. Functions of the standard library are not among them, nor
// those that have a stub in the copy.
func (s *proof) called(x *extraction, roots []*ssa.Function) map[*ssa.Function]bool {
	return s.follow(x, roots, nil).functions
}

// follow finds the functions that roots, and copied init functions, can call. Values of the types
// objects are in interfaces from the start, and a codec calls their methods.
func (s *proof) follow(x *extraction, roots []*ssa.Function, objects []types.Type) *calls {
	c := s.calls(x)
	for _, list := range x.inits {
		for _, u := range list {
			if f, ok := u.node.(*ast.FuncDecl); ok && x.reached[u] && s.broken[u.pkg.PkgPath] == nil {
				roots = append(roots, s.declared(u, f))
			}
		}
	}
	c.roots(roots, objects)
	return c
}

func (s *proof) calls(x *extraction) *calls {
	return &calls{
		x: x, s: s, functions: map[*ssa.Function]bool{}, globals: map[*ssa.Global]bool{}, callers: map[*ssa.Function]*ssa.Function{},
		methods: map[*types.Func]*types.Interface{}, places: map[any][]place{},
	}
}

func (c *calls) roots(roots []*ssa.Function, objects []types.Type) {
	for _, f := range roots {
		c.call(f, nil)
	}
	for _, t := range objects {
		c.concrete.Set(t, true)
		c.spread(t, map[types.Type]bool{}, func(t types.Type) { c.named(t, byName()) })
	}
	for {
		for len(c.queue) > 0 {
			f := c.queue[0]
			c.queue = c.queue[1:]
			for _, b := range f.Blocks {
				for _, i := range b.Instrs {
					c.instruction(f, i)
				}
			}
		}
		if c.dispatch(); len(c.queue) == 0 {
			return
		}
	}
}

// call notes a called function.
func (c *calls) call(f, from *ssa.Function) {
	if f == nil || c.functions[f] {
		return
	}
	if o, ok := f.Object().(*types.Func); ok {
		if u := c.x.units[o.Origin()]; u != nil && c.start == nil {
			if _, replaced := c.x.hidden.replacement(c.x, u); replaced || !c.x.reached[u] || c.x.stub(u) != "" {
				return
			}
		}
	}
	if origin := f.Origin(); origin != nil && origin != f {
		for _, t := range f.TypeArgs() {
			c.concrete.Set(t, true)
			c.concrete.Set(types.NewPointer(t), true)
		}
		c.call(origin, from)
	}
	c.s.build(f.Pkg)
	if len(f.Blocks) == 0 {
		return
	}
	c.functions[f], c.callers[f] = true, from
	c.queue = append(c.queue, f)
}

// place is where a called function mentions something.
type place struct {
	in *ssa.Function // or the function that mentions a variable with this initial value
	at token.Pos
}

// note notes where a variable, a method of an interface, or a function without syntax is mentioned.
func (c *calls) note(what any, in *ssa.Function, i ssa.Instruction) {
	at := i.Pos()
	if at == token.NoPos && in != nil {
		at = in.Pos()
	}
	c.places[what] = append(c.places[what], place{in, at})
}

// build builds a package that has syntax.
func (s *proof) build(pkg *ssa.Package) {
	if pkg != nil && !s.built[pkg] {
		s.built[pkg] = true
		pkg.Build()
	}
}

// instruction notes what an instruction of a called function mentions.
func (c *calls) instruction(in *ssa.Function, i ssa.Instruction) {
	for _, operand := range i.Operands(nil) {
		switch v := (*operand).(type) {
		case *ssa.Function:
			if v.Pkg != nil && c.x.program.all[v.Pkg.Pkg.Path()] == nil {
				c.note(v, in, i)
			}
			if c.start == nil || c.start.value(c, i, v) {
				c.call(v, in)
			}
		case *ssa.Global:
			c.note(v, in, i)
			c.global(v, in)
		}
	}
	switch i := i.(type) {
	case *ssa.MakeInterface:
		c.concrete.Set(i.X.Type(), true)
		to, ok := i.Type().Underlying().(*types.Interface)
		if ok && c.start == nil && !isConvertible(i.Type()) && c.foreign(i.Type()) && !printsTypeOnly(i) {
			c.show(i.X.Type())
			c.invoke(to)
		}
	case *ssa.ChangeInterface:
		from, ok := i.X.Type().Underlying().(*types.Interface)
		if ok && c.start == nil && c.foreign(i.Type()) && !isOther(i) && !printsTypeOnly(i) {
			c.widened = append(c.widened, from)
		}
	case ssa.CallInstruction:
		if common := i.Common(); common.IsInvoke() {
			c.note(common.Method, in, i)
			c.methods[common.Method], _ = common.Value.Type().Underlying().(*types.Interface)
		} else if c.start != nil {
			c.start.call(c, in, common)
		}
	}
}

// foreign reports whether functions without syntax may call methods of an interface's values: it is
// empty, or the standard library's.
func (c *calls) foreign(t types.Type) bool {
	if i, ok := t.Underlying().(*types.Interface); ok && i.NumMethods() == 0 {
		return true
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && (named.Obj().Pkg() == nil || c.x.program.all[named.Obj().Pkg().Path()] == nil)
}

// invoke notes that the methods of an interface are called.
func (c *calls) invoke(i *types.Interface) {
	for n := range i.NumMethods() {
		c.methods[i.Method(n)] = i
	}
}

// show notes that reflection and fmt reach the values of a type.
func (c *calls) show(t types.Type) {
	if c.shown.At(t) == nil {
		c.shown.Set(t, true)
		c.spread(t, map[types.Type]bool{}, func(t types.Type) { c.named(t, slices.Concat(byName(), texts())) })
	}
}

// named calls the methods of a type that have one of the names.
func (c *calls) named(t types.Type, names []string) {
	set := c.s.ssa.MethodSets.MethodSet(types.NewPointer(t))
	for _, name := range names {
		if m := set.Lookup(nil, name); m != nil {
			c.call(c.s.ssa.MethodValue(m), nil)
		}
	}
}

// spread calls do for each named type in a type.
func (c *calls) spread(t types.Type, seen map[types.Type]bool, do func(types.Type)) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	if _, ok := t.(*types.Named); ok && !types.IsInterface(t) {
		if name := t.(*types.Named).Obj(); c.x.hidden.types[name] != "" {
			return
		}
		do(t)
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer:
		c.spread(t.Elem(), seen, do)
	case *types.Slice:
		c.spread(t.Elem(), seen, do)
	case *types.Array:
		c.spread(t.Elem(), seen, do)
	case *types.Map:
		c.spread(t.Key(), seen, do)
		c.spread(t.Elem(), seen, do)
	case *types.Struct:
		for i := range t.NumFields() {
			c.spread(t.Field(i).Type(), seen, do)
		}
	}
}

// dispatch calls the methods of types in interfaces by which a method is called.
func (c *calls) dispatch() {
	if c.start != nil {
		c.start.dispatch(c)
	}
	for _, t := range c.concrete.Keys() {
		if types.IsInterface(t) {
			continue
		}
		for _, i := range c.widened {
			if types.Implements(t, i) {
				c.show(t)
			}
		}
		set := c.s.ssa.MethodSets.MethodSet(t)
		for m, i := range c.methods {
			if found := set.Lookup(m.Pkg(), m.Name()); found != nil && (i == nil || types.Implements(t, i)) {
				c.call(c.s.ssa.MethodValue(found), nil)
			}
		}
	}
}

// global notes a variable that a called function mentions: the functions in its initial value are
// called, too.
func (c *calls) global(g *ssa.Global, in *ssa.Function) {
	if c.globals[g] {
		return
	}
	c.globals[g] = true
	u := c.x.units[g.Object()]
	if u == nil {
		return
	}
	c.s.build(g.Pkg)
	for _, i := range c.s.initial(g.Pkg, u) {
		c.instruction(in, i)
	}
}

// initial returns the instructions that give the variables of a unit their initial values. One
// without a position belongs to the unit of the next that has one: a variable's own comes last.
func (s *proof) initial(pkg *ssa.Package, u *unit) (list []ssa.Instruction) {
	f := pkg.Func("init")
	if f == nil {
		return nil
	}
	var waiting []ssa.Instruction
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(*ssa.Call); ok && isInit(call.Call.StaticCallee()) {
				waiting = nil
				continue
			}
			waiting = append(waiting, i)
			if p := i.Pos(); p != token.NoPos {
				if u.node.Pos() <= p && p <= u.node.End() {
					list = append(list, waiting...)
				}
				waiting = nil
			}
		}
	}
	return list
}

// isInit reports whether a function initialises a package.
func isInit(f *ssa.Function) bool {
	return f != nil && f.Signature.Recv() == nil && (f.Name() == "init" || len(f.Name()) > 5 && f.Name()[:5] == "init#")
}
