package state

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// Memory finds the functions that change a variable: its value, or memory that it points to.
type Memory struct {
	s     *code.Functions
	p     *code.Program
	inits map[*ssa.Global][]*code.Unit // made by initialisers

	summaries map[argument]*effects
	followed  map[*ssa.Global]*reachability
}

// NewMemory returns the memory of a program's variables.
func NewMemory(p *code.Program, s *code.Functions) *Memory {
	return &Memory{s: s, p: p, inits: map[*ssa.Global][]*code.Unit{}, summaries: map[argument]*effects{}, followed: map[*ssa.Global]*reachability{}}
}

// mention reports whether an instruction mentions a variable to change it.
func (w *Memory) mention(i ssa.Instruction, g *ssa.Global) bool {
	f := w.flow()
	f.mention(i, g)
	return f.change != token.NoPos
}

// argument is a parameter that leads to memory, or one with a value in it that does.
type argument struct {
	p    *ssa.Parameter
	held bool
}

// summary returns the effects of a function on memory that an argument leads to; of a recursive call, those
// that are known so far.
func (w *Memory) summary(a argument) *effects {
	if e := w.summaries[a]; e != nil {
		return e
	}
	f := w.flow()
	w.summaries[a] = f.effects
	if a.held {
		for _, i := range *a.p.Referrers() {
			f.heldUse(i, a.p)
		}
	} else if carries(a.p.Type()) {
		f.of(a.p)
	}
	w.dispatch(f.effects)
	return f.effects
}

// changesArgument reports whether a function changes memory that a parameter leads to, or keeps it.
func (w *Memory) changesArgument(f *ssa.Function, n int) bool {
	if f == nil || n < 0 {
		return true
	}
	if w.s.Build(f.Pkg); len(f.Blocks) == 0 {
		return changesOuter(f)
	}
	if n = min(n, len(f.Params)-1); n < 0 {
		return false
	}
	e := w.summary(argument{p: f.Params[n]})
	return e.change != token.NoPos || len(e.holders) > 0 || len(e.into) > 0
}

// returnsArgument reports whether a result of a function leads to memory that its receiver leads to.
func (w *Memory) returnsArgument(f *ssa.Function) bool {
	if f == nil {
		return true
	}
	if w.s.Build(f.Pkg); len(f.Blocks) == 0 {
		return !fresh.MatchString(f.Name())
	}
	for r := range w.summary(argument{p: f.Params[0]}).returns {
		if r.f == f {
			return true
		}
	}
	return false
}

// dispatch adds the effects of methods that are called by way of interfaces.
func (w *Memory) dispatch(e *effects) {
	for done := map[*ssa.Function]bool{}; ; {
		before := len(done)
		for t := range maps.Clone(e.types) {
			for m := range maps.Clone(e.invoked) {
				if f := w.method(t, m.Pkg(), m.Name()); f != nil && !done[f] {
					done[f] = true
					if w.s.Build(f.Pkg); len(f.Blocks) > 0 {
						called := w.summary(argument{p: f.Params[0]})
						if e.add(called, f.Pos()); len(called.into) > 0 {
							e.add(&effects{change: f.Pos()}, f.Pos())
						}
					}
				}
			}
		}
		if len(done) == before {
			return
		}
	}
}

// method returns a method of a type; nil if the type has none of the name.
func (w *Memory) method(t types.Type, pkg *types.Package, name string) *ssa.Function {
	if types.IsInterface(t) {
		return nil
	}
	s := w.s.SSA.MethodSets.MethodSet(t).Lookup(pkg, name)
	if s == nil {
		return nil
	}
	f := w.s.SSA.MethodValue(s)
	if f != nil && f.Origin() != nil {
		return f.Origin()
	}
	return f
}

// made follows the initial value of a variable back to where it is made: other code may lead to its
// memory from the start. The functions on the way make such memory for others, too, so that neither their
// results nor their own changes count.
type made struct {
	*flow
	depth    int // of the memory that is looked at, in the value
	seen     map[ssa.Value]bool
	closures map[*ssa.Function]bool // function literals that the variable leads to
	later    map[*ssa.Function]token.Pos
}

func (w *Memory) made() *made {
	return &made{flow: w.flow(), seen: map[ssa.Value]bool{}, closures: map[*ssa.Function]bool{}, later: map[*ssa.Function]token.Pos{}}
}

// stored follows the value that an instruction stores in a variable, or in a part of it.
func (m *made) stored(i ssa.Instruction, g *ssa.Global) {
	switch i := i.(type) {
	case *ssa.Store:
		if i.Addr == g {
			m.from(i.Val)
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		m.depth++
		m.inside(i.(ssa.Value))
		m.depth--
	}
}

// from follows a value back.
func (m *made) from(v ssa.Value) {
	if m.seen[v] {
		return
	}
	m.seen[v] = true
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		if m.depth == 0 { // a field that has memory inside of it has that of other values, too
			m.of(v)
		}
		m.depth++
		m.inside(v)
		m.depth--
	case *ssa.MakeClosure:
		m.closures[v.Fn.(*ssa.Function)] = true
		for _, b := range v.Bindings {
			m.captured(b)
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			m.from(e)
		}
	case *ssa.MakeInterface, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.Convert, *ssa.TypeAssert, *ssa.Slice:
		m.from(operand(v))
	case *ssa.UnOp:
		for _, x := range stored(v.X) {
			m.from(x)
		}
	case *ssa.Call, *ssa.Extract:
		m.results(v)
	}
}

// results follows the values that a function returns as v, which is the result of a call or one of several,
// and arguments if it returns parameters.
func (m *made) results(v ssa.Value) {
	n := 0
	if x, ok := v.(*ssa.Extract); ok {
		v, n = x.Tuple, x.Index
	}
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return
	}
	callee := call.Call.StaticCallee()
	if origin := callee.Origin(); origin != nil {
		callee = origin
	}
	m.w.s.Build(callee.Pkg)
	for _, b := range callee.Blocks {
		r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || n >= len(r.Results) {
			continue
		}
		p, ok := r.Results[n].(*ssa.Parameter)
		if !ok {
			m.from(r.Results[n])
		} else if k := slices.Index(callee.Params, p); k < len(call.Call.Args) {
			m.from(call.Call.Args[k])
		}
	}
}

// stored returns the values that a function and its closures store in a variable of the function.
func stored(address ssa.Value) (values []ssa.Value) {
	switch a := address.(type) {
	case *ssa.FreeVar:
		for _, v := range bindings(a) {
			values = append(values, stored(v)...)
		}
	case *ssa.Alloc:
		for _, i := range *a.Referrers() {
			if s, ok := i.(*ssa.Store); ok && s.Addr == a {
				values = append(values, s.Val)
			}
		}
	}
	return values
}

// inside follows the values that are stored in memory where it is made.
func (m *made) inside(memory ssa.Value) {
	for _, i := range *memory.Referrers() {
		switch i := i.(type) {
		case *ssa.FieldAddr:
			m.inside(i)
		case *ssa.IndexAddr:
			m.inside(i)
		case *ssa.Store:
			if i.Addr == memory {
				m.from(i.Val)
			}
		case *ssa.MapUpdate:
			if i.Map == memory {
				m.from(i.Value)
			}
		}
	}
}

// captured finds the function literals that change a variable which the variable's own literals capture.
// Literals that the function around them calls itself run when it makes the value.
func (m *made) captured(v ssa.Value) {
	if m.seen[v] {
		return
	}
	m.seen[v] = true
	if free, ok := v.(*ssa.FreeVar); ok {
		for _, outer := range bindings(free) {
			m.captured(outer)
		}
		return
	}
	if v.Referrers() == nil {
		return
	}
	for _, i := range *v.Referrers() {
		c, ok := i.(*ssa.MakeClosure)
		if !ok || isCalledOnly(c) {
			continue
		}
		for n, b := range c.Bindings {
			f := c.Fn.(*ssa.Function)
			if b != v || m.later[f] != token.NoPos {
				continue
			}
			changes := m.w.flow()
			changes.lazily = true
			if changes.of(f.FreeVars[n]); changes.change != token.NoPos {
				m.later[f] = changes.change
			}
		}
	}
	for _, x := range stored(v) {
		m.from(x)
	}
}

// isCalledOnly reports whether nothing takes a function literal as a value.
func isCalledOnly(c *ssa.MakeClosure) bool {
	for _, i := range *c.Referrers() {
		if _, debug := i.(*ssa.DebugRef); debug {
			continue
		}
		call, ok := i.(ssa.CallInstruction)
		if !ok || call.Common().Value != c {
			return false
		}
		for _, a := range call.Common().Args {
			if a == c {
				return false
			}
		}
	}
	return true
}

// remembers reports whether a function literal is one that the variable leads to, or inside of one:
// whoever calls the variable's function changes what the next call sees.
func (m *made) remembers(f *ssa.Function) bool {
	for ; f != nil; f = f.Parent() {
		if m.closures[f] {
			return true
		}
	}
	return false
}
