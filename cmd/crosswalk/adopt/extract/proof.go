package extract

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/state"
)

// Proof finds out which types get into interfaces, where fmt may print their values, and which members
// of the metadata the reached functions select, from their SSA form.
type Proof struct {
	*code.Functions

	Shown map[*types.TypeName]bool // in interfaces, where reflection and fmt reach them
	known map[*types.TypeName]bool // all that were seen
	pairs map[[2]types.Type]bool   // memory that is used as two types

	Metadata Metadata
	stores   *state.Memory
}

func newProof(p *operator.Program) *Proof {
	initial := p.Initial
	if p.SetUp != nil {
		initial = append(slices.Clip(initial), p.SetUp.Pkg)
	}
	s := &Proof{
		Functions: code.NewFunctions(p.Program, initial), Shown: map[*types.TypeName]bool{}, known: map[*types.TypeName]bool{},
		pairs: map[[2]types.Type]bool{}, Metadata: Metadata{Selected: map[string]bool{}},
	}
	s.stores = state.NewMemory(p.Program, s.Functions)
	return s
}

// look goes through the functions that are reached.
func (s *Proof) look(x *Extraction) error {
	reachedVariables := map[*ast.File][]*code.Unit{}
	for u := range x.Reached {
		if err := s.Broken[u.Package.PkgPath]; err != nil {
			return x.program.DoesNotCompile(u.Package, err)
		}
		if u.Tok == token.VAR {
			reachedVariables[u.File] = append(reachedVariables[u.File], u)
		}
	}
	initialisers := map[*ssa.Package]bool{}
	for u := range x.Reached {
		pkg := s.SSA.Package(u.Package.Types)
		s.Build(pkg)
		for _, o := range u.Defs {
			switch o := o.(type) {
			case *types.Func:
				if f := s.SSA.FuncValue(o); f != nil && !Copies(o) {
					s.function(f, nil)
				}
			case *types.Var:
				if !initialisers[pkg] {
					initialisers[pkg] = true
					s.function(pkg.Func("init"), func(p token.Pos) bool {
						for _, list := range reachedVariables {
							for _, u := range list {
								if u.Node.Pos() <= p && p <= u.Node.End() {
									return true
								}
							}
						}
						return false
					})
				}
			case *types.TypeName:
				s.known[o] = true
			}
		}
		if f, ok := u.Node.(*ast.FuncDecl); ok && f.Name.Name == "init" && f.Recv == nil {
			for _, m := range pkg.Members {
				if m, ok := m.(*ssa.Function); ok && m.Syntax() == f {
					s.function(m, nil)
				}
			}
		}
	}
	return nil
}

// Copies says whether a function is a generated copy: it copies all fields, and looks at none.
func Copies(f *types.Func) bool {
	return f.Signature().Recv() != nil && (f.Name() == "DeepCopy" || f.Name() == "DeepCopyInto" || f.Name() == "DeepCopyObject")
}

// function looks at the instructions of a function, of those at positions within, if that is not
// nil.
func (s *Proof) function(f *ssa.Function, within func(token.Pos) bool) {
	if f == nil {
		return
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if within == nil || i.Pos() == token.NoPos || within(i.Pos()) {
				s.instruction(i)
			}
		}
	}
	for _, inner := range f.AnonFuncs {
		if within == nil || within(inner.Pos()) {
			s.function(inner, nil)
		}
	}
}

func (s *Proof) instruction(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.FieldAddr:
		s.Metadata.Note(i.X.Type().Underlying().(*types.Pointer).Elem(), i.Field)
	case *ssa.Field:
		s.Metadata.Note(i.X.Type(), i.Field)
	case *ssa.MakeInterface:
		if !calls.IsConvertible(i.Type()) && !calls.PrintsTypeOnly(i) {
			s.show(i.X.Type(), map[types.Type]bool{})
		}
	case *ssa.ChangeInterface:
		if calls.IsConvertible(i.X.Type()) && !calls.IsConvertible(i.Type()) && !calls.IsOther(i) && !calls.PrintsTypeOnly(i) {
			for t := range s.known { // any version may be in it
				s.show(t.Type(), map[types.Type]bool{})
			}
		}
	case *ssa.Convert:
		s.convert(i)
	case *ssa.MultiConvert, *ssa.SliceToArrayPointer:
		s.show(i.(ssa.Value).Type(), map[types.Type]bool{})
	case ssa.CallInstruction:
		s.call(i.Common())
	}
}

// call shows the type arguments of a called function.
func (s *Proof) call(c *ssa.CallCommon) {
	if c.IsInvoke() {
		return
	}
	f := c.StaticCallee()
	if f == nil {
		return
	}
	if copiesValues(f) {
		return
	}
	for _, t := range f.TypeArgs() {
		s.show(t, map[types.Type]bool{})
	}
}

// copiesValues says whether a generic function only copies values of its type parameters.
func copiesValues(f *ssa.Function) bool {
	origin := f.Origin()
	if origin == nil || origin.Pkg == nil {
		return false
	}
	switch origin.Pkg.Pkg.Path() + "." + origin.Name() {
	case "slices.Clone", "maps.Clone", "k8s.io/utils/ptr.To", "k8s.io/utils/ptr.Deref":
		return true
	}
	return false
}

// show notes a type and all that can be reached from its values, as reflection can.
func (s *Proof) show(t types.Type, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	if named, ok := t.(*types.Named); ok {
		s.Shown[named.Origin().Obj()] = true
	}
	for _, inner := range code.Elements(t) {
		s.show(inner, seen)
	}
}

// convert looks at conversions by way of unsafe.Pointer: the memory of one type is used as
// another's.
func (s *Proof) convert(i *ssa.Convert) {
	unsafely := func(t types.Type) bool {
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Kind() == types.UnsafePointer
	}
	switch from, to := i.X.Type(), i.Type(); {
	case unsafely(to) && !unsafely(from):
		for _, use := range *i.Referrers() {
			if use, ok := use.(*ssa.Convert); !ok || unsafely(use.Type()) {
				s.show(from, map[types.Type]bool{})
			}
		}
	case unsafely(from) && !unsafely(to):
		if source, ok := i.X.(*ssa.Convert); ok && !unsafely(source.X.Type()) {
			s.same(source.X.Type(), to)
		} else {
			s.show(to, map[types.Type]bool{})
		}
	}
}

// same shows types of the same memory where their forms differ.
func (s *Proof) same(a, b types.Type) {
	a, b = types.Unalias(a), types.Unalias(b)
	if types.Identical(a, b) || s.pairs[[2]types.Type{a, b}] {
		return
	}
	s.pairs[[2]types.Type{a, b}] = true
	u, v := a.Underlying(), b.Underlying()
	switch u.(type) {
	case *types.Basic, *types.Interface, *types.Signature, *types.Chan:
		return
	}
	x, array := u.(*types.Array)
	y, also := v.(*types.Array)
	inner, other := code.Elements(a), code.Elements(b)
	if reflect.TypeOf(u) != reflect.TypeOf(v) || len(inner) != len(other) || array && also && x.Len() != y.Len() {
		s.show(a, map[types.Type]bool{})
		s.show(b, map[types.Type]bool{})
		return
	}
	for i := range inner {
		s.same(inner[i], other[i])
	}
}
