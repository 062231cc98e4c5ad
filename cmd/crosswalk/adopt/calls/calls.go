// Package calls finds the functions that a module's conversions can call, and the blocks of these that can run.
package calls

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// Calls are the functions that some functions can call, found on their SSA form. An extraction
// follows names, and methods by the names of interfaces: it copies more than conversions can call.
type Calls struct {
	Program   *code.Program
	s         *code.Functions
	copied    Copy
	start     *start                 // nil for conversions
	Functions map[*ssa.Function]bool // with a body, without stubs
	Globals   map[*ssa.Global]bool   // that they mention, also of the standard library
	callers   map[*ssa.Function]*ssa.Function
	sites     map[*ssa.Function][]Place
	queue     []*ssa.Function
	Places    map[any][]Place // of variables, methods of interfaces, and functions without syntax

	concrete typeutil.Map // types whose values are put into interfaces
	shown    typeutil.Map // types whose values reflection and fmt reach
	methods  map[*types.Func]*types.Interface
	widened  []*types.Interface // interfaces whose values are put into ones of the standard library
}

// Copy is the part of a program that a module has.
type Copy interface {
	Has(u *code.Unit) bool   // the declaration is in the copy
	Keeps(u *code.Unit) bool // it is there as in the program, or as a part of it
}

// Follow finds the functions that roots, and copied init functions, can call. Values of the types
// objects are in interfaces from the start, and a codec calls their methods.
func Follow(p *code.Program, s *code.Functions, part Copy, roots []*ssa.Function, objects []types.Type) *Calls {
	c := New(p, s, part)
	for _, list := range p.Inits {
		for _, u := range list {
			if f, ok := u.Node.(*ast.FuncDecl); ok && part.Has(u) && s.Broken[u.Package.PkgPath] == nil {
				roots = append(roots, s.Declared(u, f))
			}
		}
	}
	c.Roots(roots, objects)
	return c
}

// New returns calls without any.
func New(p *code.Program, s *code.Functions, part Copy) *Calls {
	return &Calls{
		Program: p, s: s, copied: part, Functions: map[*ssa.Function]bool{}, Globals: map[*ssa.Global]bool{}, callers: map[*ssa.Function]*ssa.Function{}, sites: map[*ssa.Function][]Place{},
		methods: map[*types.Func]*types.Interface{}, Places: map[any][]Place{},
	}
}

// Roots finds what some functions can call, with the methods that a codec calls for types of objects.
func (c *Calls) Roots(roots []*ssa.Function, objects []types.Type) {
	for _, f := range roots {
		c.call(f, nil)
	}
	for _, t := range objects {
		c.concrete.Set(t, true)
		c.spread(t, map[types.Type]bool{}, func(t types.Type) { c.named(t, ByName()) })
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
func (c *Calls) call(f, from *ssa.Function) {
	if f == nil || c.Functions[f] {
		return
	}
	if o, ok := f.Object().(*types.Func); ok {
		if u := c.Program.Units[o.Origin()]; u != nil && c.start == nil && !c.copied.Keeps(u) {
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
	c.s.Build(f.Pkg)
	if len(f.Blocks) == 0 {
		return
	}
	c.Functions[f], c.callers[f] = true, from
	c.queue = append(c.queue, f)
}

// Place is where a called function mentions something.
type Place struct {
	In *ssa.Function // or the function that mentions a variable with this initial value
	At token.Pos
}

// note notes where a variable, a method of an interface, or a function without syntax is mentioned.
func (c *Calls) note(what any, in *ssa.Function, i ssa.Instruction) {
	at := i.Pos()
	if at == token.NoPos && in != nil {
		at = in.Pos()
	}
	c.Places[what] = append(c.Places[what], Place{in, at})
}

// instruction notes what an instruction of a called function mentions.
func (c *Calls) instruction(in *ssa.Function, i ssa.Instruction) {
	for _, operand := range i.Operands(nil) {
		switch v := (*operand).(type) {
		case *ssa.Function:
			if v.Pkg != nil && c.Program.All[v.Pkg.Pkg.Path()] == nil {
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
		if ok && c.start == nil && !IsConvertible(i.Type()) && c.foreign(i.Type()) && !PrintsTypeOnly(i) {
			c.show(i.X.Type())
			c.invoke(to)
		}
	case *ssa.ChangeInterface:
		from, ok := i.X.Type().Underlying().(*types.Interface)
		if ok && c.start == nil && c.foreign(i.Type()) && !IsOther(i) && !PrintsTypeOnly(i) {
			c.widened = append(c.widened, from)
		}
	case ssa.CallInstruction:
		if f := i.Common().StaticCallee(); f != nil {
			c.sites[f] = append(c.sites[f], Place{in, i.Pos()})
		}
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
func (c *Calls) global(g *ssa.Global, in *ssa.Function) {
	if c.Globals[g] {
		return
	}
	c.Globals[g] = true
	u := c.Program.Units[g.Object()]
	if u == nil {
		return
	}
	c.s.Build(g.Pkg)
	for _, i := range c.s.Initial(g.Pkg, u) {
		c.instruction(in, i)
	}
}

// Includes reports whether a function declared by a unit, or within it, is called.
func (c *Calls) Includes(u *code.Unit) bool {
	if f, ok := u.Node.(*ast.FuncDecl); ok {
		return c.Functions[c.s.Declared(u, f)]
	}
	if init := c.s.SSA.Package(u.Package.Types).Func("init"); init != nil {
		for _, inner := range init.AnonFuncs {
			if u.Node.Pos() <= inner.Pos() && inner.Pos() <= u.Node.End() && c.Functions[inner] {
				return true
			}
		}
	}
	return false
}

// Sites returns the places at which called functions call a function by its name.
func (c *Calls) Sites(f *ssa.Function) []Place { return c.sites[f] }

// Caller returns the first function that was found to call another, apart from wrappers that the
// compiler makes; nil if it is called by way of an interface or by the module.
func (c *Calls) Caller(f *ssa.Function) *ssa.Function {
	caller := c.callers[f]
	for caller != nil && caller.Synthetic != "" {
		caller = c.callers[caller]
	}
	return caller
}

// foreign reports whether functions without syntax may call methods of an interface's values: it is
// empty, or the standard library's.
func (c *Calls) foreign(t types.Type) bool {
	if i, ok := t.Underlying().(*types.Interface); ok && i.NumMethods() == 0 {
		return true
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && (named.Obj().Pkg() == nil || c.Program.All[named.Obj().Pkg().Path()] == nil)
}

// invoke notes that the methods of an interface are called.
func (c *Calls) invoke(i *types.Interface) {
	for n := range i.NumMethods() {
		c.methods[i.Method(n)] = i
	}
}

// show notes that reflection and fmt reach the values of a type.
func (c *Calls) show(t types.Type) {
	if c.shown.At(t) == nil {
		c.shown.Set(t, true)
		c.spread(t, map[types.Type]bool{}, func(t types.Type) { c.named(t, slices.Concat(ByName(), Texts())) })
	}
}

// named calls the methods of a type that have one of the names.
func (c *Calls) named(t types.Type, names []string) {
	set := c.s.SSA.MethodSets.MethodSet(types.NewPointer(t))
	for _, name := range names {
		if m := set.Lookup(nil, name); m != nil {
			c.call(c.s.SSA.MethodValue(m), nil)
		}
	}
}

// spread calls do for each named type in a type.
func (c *Calls) spread(t types.Type, seen map[types.Type]bool, do func(types.Type)) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	if _, ok := t.(*types.Named); ok && !types.IsInterface(t) {
		do(t)
	}
	for _, inner := range code.Elements(t) {
		c.spread(inner, seen, do)
	}
}

// dispatch calls the methods of types in interfaces by which a method is called.
func (c *Calls) dispatch() {
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
		set := c.s.SSA.MethodSets.MethodSet(t)
		for m, i := range c.methods {
			if found := set.Lookup(m.Pkg(), m.Name()); found != nil && (i == nil || types.Implements(t, i)) {
				c.call(c.s.SSA.MethodValue(found), nil)
			}
		}
	}
}

// ByName are methods that are called by way of interfaces of the standard library that no
// declaration need mention.
func ByName() []string {
	return []string{"Error", "Unwrap", "Is", "As", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "IsZero"}
}

// Texts are those that fmt calls.
func Texts() []string { return []string{"String", "GoString", "Format"} }
