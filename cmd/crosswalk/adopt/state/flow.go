package state

import (
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// effects are the changes of memory that a value leads to, and the places where it goes.
type effects struct {
	change  token.Pos // the first place that changes it; NoPos if there is none
	returns map[result]bool
	holders map[holder]bool // that lead to it from then on
	params  map[*ssa.Parameter]bool
	types   map[types.Type]bool  // of pointers to it in interfaces
	invoked map[*types.Func]bool // methods of interfaces that are called for it
}

// holder is a field or a package variable whose value leads to the memory: it has the address, or is
// a map, slice or channel with the address in it.
type holder struct {
	of        types.Object
	container bool
}

// result is a result of a function: the address of the memory, or of a variable that holds the address.
type result struct {
	f    *ssa.Function
	n    int
	held bool
}

func newEffects() *effects {
	return &effects{
		returns: map[result]bool{}, holders: map[holder]bool{}, params: map[*ssa.Parameter]bool{}, types: map[types.Type]bool{}, invoked: map[*types.Func]bool{},
	}
}

// add adds the effects that a callee has, at the place of the call.
func (e *effects) add(callee *effects, at token.Pos) {
	if callee.change != token.NoPos && e.change == token.NoPos {
		e.change = at
	}
	maps.Copy(e.holders, callee.holders)
	maps.Copy(e.types, callee.types)
	maps.Copy(e.invoked, callee.invoked)
}

// flow follows a value through one function, its closures, and the functions that they call.
type flow struct {
	w       *Memory
	seen    map[ssa.Value]bool
	holding map[ssa.Value]bool // see hold
	into    map[target]bool    // where it was stored
	lazily  bool               // changes in the function of a sync.Once do not count
	*effects
}

func (w *Memory) flow() *flow {
	return &flow{w: w, seen: map[ssa.Value]bool{}, holding: map[ssa.Value]bool{}, into: map[target]bool{}, effects: newEffects()}
}

// of follows a value: the address of the memory, or a value that has its address in it.
func (f *flow) of(v ssa.Value) {
	if f.seen[v] || v.Referrers() == nil {
		return
	}
	f.seen[v] = true
	for _, i := range *v.Referrers() {
		f.use(i, v)
	}
}

// carried follows the value of an instruction if its type can lead to memory.
func (f *flow) carried(i ssa.Instruction) {
	if v, ok := i.(ssa.Value); ok && carries(v.Type()) {
		f.of(v)
	}
}

func (f *flow) changed(at token.Pos, i ssa.Instruction) {
	if f.change == token.NoPos {
		if f.change = at; at == token.NoPos {
			f.change = i.Parent().Pos()
		}
	}
}

func (f *flow) use(i ssa.Instruction, v ssa.Value) {
	switch i := i.(type) {
	case *ssa.Store:
		if i.Addr == v {
			f.changed(i.Pos(), i)
		} else {
			places{f}.store(i.Addr, false)
		}
	case *ssa.MapUpdate:
		if i.Map == v {
			f.changed(i.Pos(), i)
		} else {
			places{f}.hold(i.Map)
		}
	case *ssa.Send:
		if i.Chan == v {
			f.changed(i.Pos(), i)
		} else {
			places{f}.hold(i.Chan)
		}
	case *ssa.Select:
		for _, state := range i.States {
			if state.Dir == types.SendOnly && state.Chan == v {
				f.changed(state.Pos, i)
			}
		}
	case *ssa.Return:
		for n, r := range i.Results {
			if r == v {
				f.returned(result{f: i.Parent(), n: n})
			}
		}
	case *ssa.MakeClosure:
		if f.lazily && isOnce(i.Fn.(*ssa.Function)) {
			return
		}
		for n, bound := range i.Bindings {
			if bound == v {
				f.of(i.Fn.(*ssa.Function).FreeVars[n])
			}
		}
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.Range:
		f.of(i.(ssa.Value))
	case *ssa.MakeInterface:
		if carries(v.Type()) {
			f.types[v.Type()] = true
			f.of(i)
		}
	case *ssa.UnOp:
		if i.Op == token.MUL || i.Op == token.ARROW {
			f.carried(i)
		}
	case *ssa.Lookup:
		if i.X == v {
			f.carried(i)
		}
	case *ssa.Phi, *ssa.ChangeType, *ssa.Convert, *ssa.MultiConvert, *ssa.SliceToArrayPointer, *ssa.ChangeInterface, *ssa.TypeAssert,
		*ssa.Index, *ssa.Field, *ssa.Extract, *ssa.Next:
		f.carried(i)
	case ssa.CallInstruction:
		f.call(i, v)
	}
}

// call follows a value into a call.
func (f *flow) call(i ssa.CallInstruction, v ssa.Value) {
	c := i.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		f.builtin(i, b.Name(), v)
		return
	}
	callee := c.StaticCallee()
	if callee == nil {
		if c.IsInvoke() && c.Value == v {
			if f.invoked[c.Method] = true; changes.MatchString(c.Method.Name()) {
				f.changed(i.Pos(), i)
			}
		} else {
			f.unknown(i, v)
		}
		return
	}
	if origin := callee.Origin(); origin != nil {
		callee = origin
	}
	if f.w.s.Build(callee.Pkg); len(callee.Blocks) == 0 {
		f.outer(i, callee, v)
		return
	}
	args, params := c.Args, callee.Params
	if isCopy(callee) {
		if len(args) > 1 && args[1] == v {
			f.changed(i.Pos(), i)
		}
		return
	}
	for n, a := range args {
		if a != v || n >= len(params) {
			continue
		}
		e := f.w.summary(params[n])
		if _, ok := types.Unalias(params[n].Type()).(*types.TypeParam); ok && carries(v.Type()) { // whose methods are called as an interface's
			f.types[v.Type()] = true
		}
		f.add(e, i.Pos())
		for r := range e.returns {
			if r.f == callee {
				f.result(i, r)
			}
		}
		for p := range e.params {
			places{f}.filled(i, callee, p)
		}
	}
}

// unknown follows a pointer, map, slice or channel into a call of a function that is a value, or of an
// interface's method: its name decides.
func (f *flow) unknown(i ssa.CallInstruction, v ssa.Value) {
	c := i.Common()
	if c.Value == v || !isReference(v.Type()) {
		return
	}
	if !c.IsInvoke() || changes.MatchString(c.Method.Name()) || argumentChanges.MatchString(c.Method.Name()) || f.w.isOwn(c.Method) {
		f.changed(i.Pos(), i)
	}
}

// isReference reports whether the holder of a value can change the memory that it refers to. A list of
// interfaces, such as the arguments of a message, is read.
func isReference(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan:
		return true
	case *types.Slice:
		return !types.IsInterface(t.Elem())
	}
	return false
}

// isCopy reports whether a function is a generated DeepCopy or DeepCopyInto: it first copies pointers, and
// then replaces each.
func isCopy(f *ssa.Function) bool {
	return f.Signature.Recv() != nil && strings.HasPrefix(f.Name(), "DeepCopy") &&
		strings.HasPrefix(filepath.Base(f.Prog.Fset.Position(f.Pos()).Filename), "zz_generated")
}

// isOwn reports whether a method of an interface is of the operator's modules, and not one that only
// reads: main may implement it.
func (w *Memory) isOwn(m *types.Func) bool {
	return m.Pkg() != nil && w.p.All[m.Pkg().Path()] != nil && w.p.Modules[w.p.All[m.Pkg().Path()].Module.Path] && !readers.MatchString(m.Name())
}

// result follows a result of a call.
func (f *flow) result(i ssa.CallInstruction, r result) {
	v := i.Value()
	if v == nil {
		return
	}
	follow := f.carried
	if r.held {
		follow = func(i ssa.Instruction) { places{f}.hold(i.(ssa.Value)) }
	}
	if _, several := v.Type().(*types.Tuple); !several {
		follow(v)
		return
	}
	for _, i := range *v.Referrers() {
		if x, ok := i.(*ssa.Extract); ok && x.Index == r.n {
			follow(x)
		}
	}
}

func (f *flow) builtin(i ssa.CallInstruction, name string, v ssa.Value) {
	args := i.Common().Args
	switch {
	case (name == "delete" || name == "clear" || name == "copy") && args[0] == v:
		f.changed(i.Pos(), i)
	case name == "copy":
		if s, ok := v.Type().Underlying().(*types.Slice); ok && carries(s.Elem()) {
			places{f}.hold(args[0])
		}
	case name == "append":
		if s, ok := v.Type().Underlying().(*types.Slice); ok && args[0] != v && !carries(s.Elem()) {
			return
		}
		f.carried(i.Value())
	}
}

// outer follows a value into a function without syntax, of the standard library: its name decides.
func (f *flow) outer(i ssa.CallInstruction, callee *ssa.Function, v ssa.Value) {
	if carries(v.Type()) && changesOuter(callee) {
		f.changed(i.Pos(), i)
	}
	if value := i.Value(); value != nil && !fresh.MatchString(callee.Name()) {
		for n := range callee.Signature.Results().Len() {
			f.result(i, result{f: callee, n: n})
		}
	}
}

// returned notes a result that leads to the memory, and follows it if the function is a closure.
func (f *flow) returned(r result) {
	if f.returns[r] {
		return
	}
	f.returns[r] = true
	for _, call := range callsOfClosure(r.f) {
		f.result(call, r)
	}
	f.passed(r.f)
}

// param notes a parameter into which the memory is stored, and follows the arguments of a closure.
func (f *flow) param(p *ssa.Parameter) {
	if f.params[p] {
		return
	}
	f.params[p] = true
	for _, call := range callsOfClosure(p.Parent()) {
		places{f}.filled(call, p.Parent(), p)
	}
	f.passed(p.Parent())
}

// passed counts the memory as changed if a function literal that gives it away is a value: other code calls it.
func (f *flow) passed(closure *ssa.Function) {
	if closure.Parent() == nil {
		return
	}
	eachIn(closure.Parent(), func(i ssa.Instruction) {
		if m, ok := i.(*ssa.MakeClosure); ok && m.Fn == closure {
			for _, use := range *m.Referrers() {
				f.asValue(use, m)
			}
			return
		}
		f.asValue(i, closure)
	})
}

// asValue counts the memory as changed where an instruction takes a function that gives it away as a value.
func (f *flow) asValue(i ssa.Instruction, function ssa.Value) {
	call, ok := i.(ssa.CallInstruction)
	for n, operand := range i.Operands(nil) {
		if *operand == function && !(ok && n == 0 && !call.Common().IsInvoke()) {
			f.changed(i.Pos(), i)
		}
	}
}
