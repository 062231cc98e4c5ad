package adopt

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// calls are the functions that some functions can call, found on their SSA form. An extraction
// follows names, and methods by the names of interfaces: it copies more than conversions can call.
type calls struct {
	p         *base
	s         *forms
	copied    copyOf
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

// copyOf is the part of a program that a module has.
type copyOf interface {
	Has(u *unit) bool              // the declaration is in the copy
	Keeps(u *unit) bool            // it is there as in the program, or as a part of it
	Opaque(t *types.TypeName) bool // values of the type are text in the copy
}

// follow finds the functions that roots, and copied init functions, can call. Values of the types
// objects are in interfaces from the start, and a codec calls their methods.
func follow(p *base, s *forms, part copyOf, roots []*ssa.Function, objects []types.Type) *calls {
	c := newCalls(p, s, part)
	for _, list := range p.inits {
		for _, u := range list {
			if f, ok := u.node.(*ast.FuncDecl); ok && part.Has(u) && s.broken[u.pkg.PkgPath] == nil {
				roots = append(roots, s.declared(u, f))
			}
		}
	}
	c.roots(roots, objects)
	return c
}

// newCalls returns calls without any.
func newCalls(p *base, s *forms, part copyOf) *calls {
	return &calls{
		p: p, s: s, copied: part, functions: map[*ssa.Function]bool{}, globals: map[*ssa.Global]bool{}, callers: map[*ssa.Function]*ssa.Function{},
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
		if u := c.p.units[o.Origin()]; u != nil && c.start == nil && !c.copied.Keeps(u) {
			return
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

// instruction notes what an instruction of a called function mentions.
func (c *calls) instruction(in *ssa.Function, i ssa.Instruction) {
	for _, operand := range i.Operands(nil) {
		switch v := (*operand).(type) {
		case *ssa.Function:
			if v.Pkg != nil && c.p.all[v.Pkg.Pkg.Path()] == nil {
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

// global notes a variable that a called function mentions: the functions in its initial value are
// called, too.
func (c *calls) global(g *ssa.Global, in *ssa.Function) {
	if c.globals[g] {
		return
	}
	c.globals[g] = true
	u := c.p.units[g.Object()]
	if u == nil {
		return
	}
	c.s.build(g.Pkg)
	for _, i := range c.s.initial(g.Pkg, u) {
		c.instruction(in, i)
	}
}

// includes reports whether a function declared by a unit, or within it, is called.
func (c *calls) includes(u *unit) bool {
	if f, ok := u.node.(*ast.FuncDecl); ok {
		return c.functions[c.s.declared(u, f)]
	}
	if init := c.s.ssa.Package(u.pkg.Types).Func("init"); init != nil {
		for _, inner := range init.AnonFuncs {
			if u.node.Pos() <= inner.Pos() && inner.Pos() <= u.node.End() && c.functions[inner] {
				return true
			}
		}
	}
	return false
}

// caller returns the first function that was found to call another, apart from wrappers that the
// compiler makes; nil if it is called by way of an interface or by the module.
func (c *calls) caller(f *ssa.Function) *ssa.Function {
	caller := c.callers[f]
	for caller != nil && caller.Synthetic != "" {
		caller = c.callers[caller]
	}
	return caller
}
