package calls

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// start makes calls those that an initialiser makes when a program starts. It is stricter than for
// conversions: initialisers register functions in tables, as in a scheme, that nothing calls yet. A
// function that is a value is called if a function of its type is called by way of a variable, or if
// a function without syntax gets it.
type start struct {
	values  map[*ssa.Function]bool
	dynamic typeutil.Map // types of functions
}

// value notes a function that an instruction mentions; it reports whether the function is called at
// once.
func (s *start) value(c *Calls, i ssa.Instruction, f *ssa.Function) bool {
	if call, ok := i.(ssa.CallInstruction); ok && call.Common().Value == f {
		return c.Functions[i.Parent()]
	}
	s.values[f] = true
	return false
}

// call notes a call that is not by way of an interface.
func (s *start) call(c *Calls, in *ssa.Function, common *ssa.CallCommon) {
	f := common.StaticCallee()
	if f == nil {
		if _, builtin := common.Value.(*ssa.Builtin); !builtin {
			s.dynamic.Set(common.Value.Type().Underlying(), true)
		}
		return
	}
	if _, closure := common.Value.(*ssa.MakeClosure); closure {
		c.call(f, in)
	}
	if f.Pkg == nil || c.Program.All[f.Pkg.Pkg.Path()] != nil {
		return
	}
	for _, argument := range common.Args {
		switch v := argument.(type) {
		case *ssa.Function:
			c.call(v, in)
		case *ssa.MakeClosure:
			c.call(v.Fn.(*ssa.Function), in)
		}
	}
}

// dispatch calls the values of the types that are called.
func (s *start) dispatch(c *Calls) {
	for f := range s.values {
		t := f.Signature
		if t.Recv() != nil { // of a method expression
			continue
		}
		if s.dynamic.At(types.NewSignatureType(nil, nil, nil, t.Params(), t.Results(), t.Variadic())) != nil {
			c.call(f, nil)
		}
	}
}

// Started returns the calls that functions make when a program starts. The values are functions that
// they may call by way of variables.
func Started(p *code.Program, s *code.Functions, part Copy, roots []*ssa.Function, values map[*ssa.Function]bool) *Calls {
	c := New(p, s, part)
	c.start = &start{values: values}
	c.Roots(roots, nil)
	return c
}
