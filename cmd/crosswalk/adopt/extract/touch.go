package extract

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
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
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			s.contained(u.Field(i).Type())
		}
	case *types.Array:
		s.contained(u.Elem())
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
		t = named.Underlying()
	}
	switch t := t.(type) {
	case *types.Pointer:
		s.show(t.Elem(), seen)
	case *types.Slice:
		s.show(t.Elem(), seen)
	case *types.Array:
		s.show(t.Elem(), seen)
	case *types.Chan:
		s.show(t.Elem(), seen)
	case *types.Map:
		s.show(t.Key(), seen)
		s.show(t.Elem(), seen)
	case *types.Struct:
		for i := range t.NumFields() {
			s.show(t.Field(i).Type(), seen)
		}
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
	differ := func() {
		s.show(a, map[types.Type]bool{})
		s.show(b, map[types.Type]bool{})
	}
	switch u := a.Underlying().(type) {
	case *types.Pointer:
		if v, ok := b.Underlying().(*types.Pointer); ok {
			s.same(u.Elem(), v.Elem())
			return
		}
	case *types.Slice:
		if v, ok := b.Underlying().(*types.Slice); ok {
			s.same(u.Elem(), v.Elem())
			return
		}
	case *types.Array:
		if v, ok := b.Underlying().(*types.Array); ok && u.Len() == v.Len() {
			s.same(u.Elem(), v.Elem())
			return
		}
	case *types.Map:
		if v, ok := b.Underlying().(*types.Map); ok {
			s.same(u.Key(), v.Key())
			s.same(u.Elem(), v.Elem())
			return
		}
	case *types.Struct:
		if v, ok := b.Underlying().(*types.Struct); ok && u.NumFields() == v.NumFields() {
			for i := range u.NumFields() {
				s.same(u.Field(i).Type(), v.Field(i).Type())
			}
			return
		}
	case *types.Basic, *types.Interface, *types.Signature, *types.Chan:
		return
	}
	differ()
}
