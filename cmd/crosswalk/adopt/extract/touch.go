package extract

import (
	"go/types"
	"reflect"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// touch notes that a type's fields are looked at.
func (s *Proof) touch(t types.Type) {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		s.touched[named.Origin().Obj()] = true
	}
}

// contained touches a type and those of its fields and elements, as a comparison does.
func (s *Proof) contained(t types.Type) {
	s.touch(t)
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		for _, inner := range code.Elements(t) {
			s.contained(inner)
		}
	}
}

// show touches a type and all that can be reached from its values, as reflection can.
func (s *Proof) show(t types.Type, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	if named, ok := t.(*types.Named); ok {
		s.touched[named.Origin().Obj()], s.Shown[named.Origin().Obj()] = true, true
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

// same touches types that differ, at places of the same memory: an opaque type's memory is not that
// of the type.
func (s *Proof) same(a, b types.Type) {
	a, b = types.Unalias(a), types.Unalias(b)
	if types.Identical(a, b) || s.pairs[[2]types.Type{a, b}] {
		return
	}
	s.pairs[[2]types.Type{a, b}] = true
	s.touch(a)
	s.touch(b)
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
