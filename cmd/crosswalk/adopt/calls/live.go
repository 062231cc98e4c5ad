package calls

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// Liveness tells which blocks of functions can run. It knows these reasons for which a block cannot:
//   - it handles the error of a function that never returns one, as conversion-gen's mostly are;
//   - it handles the error of an encoder, which has none for a value that was decoded;
//   - it handles an object that is not of the version that a module converts to;
//   - it handles a nil pointer, or a nil interface, where all calls pass a value.
type Liveness struct {
	Functions map[*ssa.Function]bool
	fails     map[*ssa.Function]bool // may return an error that is not nil
	roots     map[*ssa.Function]bool
	hubs      map[*ssa.Parameter]types.Type
	sites     callSites
	methods   map[*types.Func]*types.Interface // called by way of interfaces
	foreign   func(types.Type) bool            // whether functions without syntax may make an interface's values
	targets   map[*types.Func][]*ssa.Function  // of calls by way of interfaces
}

// Live computes the liveness of called functions. The parameters of roots that are interfaces for
// versions hold the hub; with nil, they hold any version.
func Live(c *Calls, roots []*ssa.Function, hub types.Type) *Liveness {
	functions := c.Functions
	l := &Liveness{
		Functions: functions, fails: map[*ssa.Function]bool{}, roots: map[*ssa.Function]bool{}, hubs: map[*ssa.Parameter]types.Type{},
		sites: findCallSites(functions), methods: c.methods, foreign: c.foreign, targets: map[*types.Func][]*ssa.Function{},
	}
	for _, f := range roots {
		if f == nil {
			continue
		}
		l.roots[f] = true
		for _, p := range f.Params {
			if IsConvertible(p.Type()) {
				l.hubs[p] = hub
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for f := range functions {
			if !l.fails[f] && l.returnsError(f) {
				l.fails[f], changed = true, true
			}
		}
	}
	return l
}

// returnsError reports whether a block that can run returns an error that may not be nil.
func (l *Liveness) returnsError(f *ssa.Function) bool {
	n := f.Signature.Results().Len()
	if n == 0 || !isError(f.Signature.Results().At(n-1).Type()) {
		return false
	}
	for b := range l.Blocks(f) {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && l.mayFail(ret.Results[n-1], map[ssa.Value]bool{}) {
			return true
		}
	}
	return false
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// mayFail reports whether an error may not be nil.
func (l *Liveness) mayFail(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		return !v.IsNil()
	case *ssa.Phi:
		for _, edge := range v.Edges {
			if l.mayFail(edge, seen) {
				return true
			}
		}
		return false
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok && v.Index == call.Call.Signature().Results().Len()-1 {
			return l.callFails(call)
		}
	case *ssa.Call:
		return l.callFails(v)
	}
	return true
}

// encodes reports whether a call is of an encoder that fails only for values that no decoder makes.
func encodes(c *ssa.CallCommon) bool {
	f := c.Method
	if callee := c.StaticCallee(); callee != nil {
		f, _ = callee.Object().(*types.Func)
	}
	if f == nil || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() + "." + f.Name() {
	case "encoding/json.Marshal", "encoding/json.MarshalIndent", "k8s.io/apimachinery/pkg/util/json.Marshal", "k8s.io/apimachinery/pkg/runtime.ToUnstructured":
		return true
	}
	return false
}

// callFails reports whether a call may return an error. Functions without syntax may.
func (l *Liveness) callFails(call *ssa.Call) bool {
	if encodes(&call.Call) {
		return false
	}
	for _, f := range l.callees(&call.Call) {
		if f == nil || !l.Functions[f] || l.fails[f] {
			return true
		}
	}
	return false
}

// Blocks returns the blocks of a function that can run.
func (l *Liveness) Blocks(f *ssa.Function) map[*ssa.BasicBlock]bool {
	can := map[*ssa.BasicBlock]bool{}
	var enter func(b *ssa.BasicBlock)
	enter = func(b *ssa.BasicBlock) {
		if can[b] {
			return
		}
		can[b] = true
		if test, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			if value, known := l.decide(test.Cond); known {
				if value {
					enter(b.Succs[0])
				} else {
					enter(b.Succs[1])
				}
				return
			}
		}
		for _, next := range b.Succs {
			enter(next)
		}
	}
	if len(f.Blocks) > 0 {
		enter(f.Blocks[0])
	}
	if f.Recover != nil {
		enter(f.Recover)
	}
	return can
}

// decide returns the value of a condition that is always the same.
func (l *Liveness) decide(cond ssa.Value) (value, known bool) {
	switch cond := cond.(type) {
	case *ssa.Const:
		if cond.Value != nil && cond.Value.Kind() == constant.Bool {
			return constant.BoolVal(cond.Value), true
		}
	case *ssa.UnOp:
		if cond.Op == token.NOT {
			value, known = l.decide(cond.X)
			return !value, known
		}
	case *ssa.BinOp:
		err, other := cond.X, cond.Y
		if c, ok := err.(*ssa.Const); ok && c.IsNil() {
			err, other = other, err
		}
		if c, ok := other.(*ssa.Const); !ok || !c.IsNil() || cond.Op != token.EQL && cond.Op != token.NEQ {
			return false, false
		}
		switch {
		case isError(err.Type()) && !l.mayFail(err, map[ssa.Value]bool{}):
			return cond.Op == token.EQL, true
		case (code.IsPointer(err.Type()) || types.IsInterface(err.Type())) && l.neverNil(err, map[ssa.Value]bool{}):
			return cond.Op == token.NEQ, true
		}
	case *ssa.Extract:
		assert, ok := cond.Tuple.(*ssa.TypeAssert)
		if !ok || cond.Index != 1 {
			return false, false
		}
		if p, ok := assert.X.(*ssa.Parameter); ok && l.hubs[p] != nil && !types.IsInterface(assert.AssertedType) {
			return types.Identical(assert.AssertedType, l.hubs[p]), true
		}
	}
	return false, false
}

// callSites are the static calls of functions, by callee. Functions that are also called in other
// ways, as values or methods of interfaces, are not in it.
type callSites map[*ssa.Function][]*ssa.CallCommon

// findCallSites finds the calls in functions. The dynamic ones of methods come from wrappers and
// values, which are operands of other instructions.
func findCallSites(functions map[*ssa.Function]bool) callSites {
	sites, otherwise := callSites{}, map[*ssa.Function]bool{}
	for f := range functions {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				var callee *ssa.Function
				if call, ok := i.(ssa.CallInstruction); ok {
					if callee = call.Common().StaticCallee(); callee != nil {
						sites[callee] = append(sites[callee], call.Common())
					}
				}
				for _, operand := range i.Operands(nil) {
					if value, ok := (*operand).(*ssa.Function); ok && value != callee {
						otherwise[value] = true
					}
				}
			}
		}
	}
	for f := range otherwise {
		delete(sites, f)
	}
	return sites
}

// callees returns the functions that a call may run; nil stands for an unknown one.
func (l *Liveness) callees(c *ssa.CallCommon) []*ssa.Function {
	if !c.IsInvoke() {
		return []*ssa.Function{c.StaticCallee()}
	}
	targets, known := l.targets[c.Method]
	if known {
		return targets
	}
	i := c.Value.Type().Underlying().(*types.Interface)
	for f := range l.Functions {
		if recv := f.Signature.Recv(); recv != nil && f.Name() == c.Method.Name() && types.Implements(recv.Type(), i) {
			targets = append(targets, f)
		}
	}
	if len(targets) == 0 || l.foreign(c.Value.Type()) {
		targets = []*ssa.Function{nil}
	}
	l.targets[c.Method] = targets
	return targets
}

// neverNil reports whether a pointer is that of a variable, and an interface has a value: the address
// of one, a parameter to which each call gives one, or a result that is one.
func (l *Liveness) neverNil(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global, *ssa.MakeInterface:
		return true
	case *ssa.ChangeInterface:
		return l.neverNil(v.X, seen)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && l.returnsValue(call, v.Index, seen)
	case *ssa.Call:
		return l.returnsValue(v, 0, seen)
	case *ssa.Parameter:
		f := v.Parent()
		if l.roots[f] { // which a module calls with objects
			return true
		}
		sites := l.sites[f]
		if len(sites) == 0 || l.invoked(f) {
			return false
		}
		for n, p := range f.Params {
			if p != v {
				continue
			}
			for _, site := range sites {
				if !l.neverNil(site.Args[n], seen) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// returnsValue reports whether a result of a call is never nil.
func (l *Liveness) returnsValue(call *ssa.Call, result int, seen map[ssa.Value]bool) bool {
	for _, f := range l.callees(&call.Call) {
		if f == nil || !l.Functions[f] || len(f.Blocks) == 0 {
			return false
		}
		for _, b := range f.Blocks {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !l.neverNil(ret.Results[result], seen) {
				return false
			}
		}
	}
	return true
}

// invoked reports whether a method may be called by way of an interface, or by a codec or fmt.
func (l *Liveness) invoked(f *ssa.Function) bool {
	if f.Signature.Recv() == nil {
		return false
	}
	if slices.Contains(ByName(), f.Name()) || slices.Contains(Texts(), f.Name()) {
		return true
	}
	for m := range l.methods {
		if m.Name() == f.Name() {
			return true
		}
	}
	return false
}
