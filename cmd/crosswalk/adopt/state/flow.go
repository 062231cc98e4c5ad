package state

import (
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// effects are the changes of memory that a value leads to, and the places where it goes.
type effects struct {
	change  token.Pos // the first place that changes it; NoPos if there is none
	returns map[result]bool
	into    map[*ssa.Parameter]token.Pos // pointers of the function that it is stored by
	holders map[*types.Var]bool          // fields and package variables that lead to it from then on
	types   map[types.Type]bool          // of pointers to it in interfaces
	invoked map[*types.Func]bool         // methods of interfaces that are called for it
}

// result is a result of a function that leads to the memory.
type result struct {
	f *ssa.Function
	n int
}

func newEffects() *effects {
	return &effects{returns: map[result]bool{}, into: map[*ssa.Parameter]token.Pos{}, holders: map[*types.Var]bool{}, types: map[types.Type]bool{}, invoked: map[*types.Func]bool{}}
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
//
// It tells a value that leads to the memory from a variable, map, slice or channel that has such a value
// in it (hold): to put another value there changes nothing. The memory counts as changed where it is stored
// in a container that the function has from its caller or by way of a pointer that is not its parameter, and
// where a function gives the memory of a variable to its caller by way of a parameter.
type flow struct {
	w       *Memory
	seen    map[ssa.Value]bool
	holding map[ssa.Value]bool // see hold
	lazily  bool               // changes in the function of a sync.Once do not count
	*effects
}

func (w *Memory) flow() *flow {
	return &flow{w: w, seen: map[ssa.Value]bool{}, holding: map[ssa.Value]bool{}, effects: newEffects()}
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
			f.store(i.Addr, i)
		}
	case *ssa.MapUpdate:
		if i.Map == v {
			f.changed(i.Pos(), i)
		} else {
			f.hold(i.Map, i)
		}
	case *ssa.Send:
		if i.Chan == v {
			f.changed(i.Pos(), i)
		} else {
			f.hold(i.Chan, i)
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
		f.call(i, v, false)
	}
}

// call follows a value into a call; held reports whether it is one of hold.
func (f *flow) call(i ssa.CallInstruction, v ssa.Value, held bool) {
	c := i.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		f.builtin(i, b.Name(), v, held)
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
		if len(args) > 1 && args[1] == v && !held {
			f.changed(i.Pos(), i)
		}
		return
	}
	for n, a := range args {
		if a != v || n >= len(params) {
			continue
		}
		e := f.w.summary(argument{params[n], held})
		if _, ok := types.Unalias(params[n].Type()).(*types.TypeParam); ok && carries(v.Type()) { // whose methods are called as an interface's
			f.types[v.Type()] = true
		}
		f.add(e, i.Pos())
		for r := range e.returns {
			if r.f == callee {
				f.result(i, r)
			}
		}
		for p := range e.into {
			if k := slices.Index(params, p); k >= 0 {
				f.store(args[k], i)
			} else { // of a closure
				f.changed(i.Pos(), i)
			}
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
	if _, several := v.Type().(*types.Tuple); !several {
		f.carried(v)
		return
	}
	for _, i := range *v.Referrers() {
		if x, ok := i.(*ssa.Extract); ok && x.Index == r.n {
			f.carried(x)
		}
	}
}

func (f *flow) builtin(i ssa.CallInstruction, name string, v ssa.Value, held bool) {
	args := i.Common().Args
	switch {
	case (name == "delete" || name == "clear" || name == "copy") && args[0] == v && !held:
		f.changed(i.Pos(), i)
	case name == "copy" && args[0] != v:
		if s, ok := v.Type().Underlying().(*types.Slice); ok && carries(s.Elem()) {
			f.hold(args[0], i)
		}
	case name == "append" && held:
		f.hold(i.Value(), i)
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
	if !fresh.MatchString(callee.Name()) {
		for n := range callee.Signature.Results().Len() {
			f.result(i, result{f: callee, n: n})
		}
	}
}

// returned notes a result that leads to the memory. The results of a closure are followed where the
// function around it calls it. A closure that is a value counts as a change: other code calls it.
func (f *flow) returned(r result) {
	if f.returns[r] {
		return
	}
	f.returns[r] = true
	top := r.f
	for top.Parent() != nil {
		top = top.Parent()
	}
	if top == r.f {
		return
	}
	eachIn(top, func(i ssa.Instruction) {
		if call, ok := i.(ssa.CallInstruction); ok && call.Common().StaticCallee() == r.f {
			f.result(call, r)
		}
		m, ok := i.(*ssa.MakeClosure)
		if !ok || m.Fn != r.f {
			f.asValue(i, r.f)
			return
		}
		for _, use := range *m.Referrers() {
			f.asValue(use, m)
		}
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

// eachIn calls do for the instructions of a function and its closures.
func eachIn(f *ssa.Function, do func(ssa.Instruction)) {
	if f == nil {
		return
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			do(i)
		}
	}
	for _, inner := range f.AnonFuncs {
		eachIn(inner, do)
	}
}
