package state

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// call follows a value into a call.
func (f *flow) call(i ssa.CallInstruction, v ssa.Value) {
	c := i.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		f.builtin(i, b.Name(), v)
		return
	}
	if c.IsInvoke() {
		if c.Value == v {
			if f.invoked[c.Method] = true; changes.MatchString(c.Method.Name()) {
				f.changed(i.Pos(), i)
			}
		} else if code.IsPointer(v.Type()) && (changes.MatchString(c.Method.Name()) || argumentChanges.MatchString(c.Method.Name()) || f.w.isOwn(c.Method)) {
			f.changed(i.Pos(), i)
		}
		return
	}
	callee := c.StaticCallee()
	if callee == nil { // the function is a value
		if c.Value != v && code.IsPointer(v.Type()) {
			f.changed(i.Pos(), i)
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
	for n, a := range args {
		if a != v || n >= len(params) {
			continue
		}
		e := f.w.summary(params[n])
		f.add(e, i.Pos())
		for r := range e.returns {
			if r.f == callee {
				f.result(i, r.n)
			}
		}
		for p := range e.params {
			f.filled(i, callee, p)
		}
	}
}

// isOwn reports whether a method of an interface is of the operator's modules, and not one that only
// reads: main may implement it.
func (w *Memory) isOwn(m *types.Func) bool {
	return m.Pkg() != nil && w.p.All[m.Pkg().Path()] != nil && w.p.Modules[w.p.All[m.Pkg().Path()].Module.Path] && !readers.MatchString(m.Name())
}

// result follows a result of a call.
func (f *flow) result(i ssa.CallInstruction, n int) {
	v := i.Value()
	if v == nil {
		return
	}
	if _, several := v.Type().(*types.Tuple); !several {
		f.carried(v)
		return
	}
	for _, r := range *v.Referrers() {
		if x, ok := r.(*ssa.Extract); ok && x.Index == n {
			f.carried(x)
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
			f.hold(args[0])
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
			f.result(i, n)
		}
	}
}
