package calls

import (
	"go/types"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

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
		if name := t.(*types.Named).Obj(); c.copied.Opaque(name) {
			return
		}
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
