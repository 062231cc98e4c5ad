package code

import "go/types"

// ReceiverName returns the name of a method's type; nil for functions.
func ReceiverName(f *types.Func) *types.TypeName {
	if f.Signature().Recv() == nil {
		return nil
	}
	t := f.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Origin().Obj()
	}
	return nil
}

// FieldOf returns a field of a struct, or of a pointer to one.
func FieldOf(t types.Type, n int) *types.Var {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return t.Underlying().(*types.Struct).Field(n)
}

// IsPointer reports whether a type is a pointer.
func IsPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// Elements returns the types of the values in a value: of its fields, its elements and keys, or of the
// value that it points to.
func Elements(t types.Type) (list []types.Type) {
	switch t := t.Underlying().(type) {
	case *types.Map:
		return []types.Type{t.Key(), t.Elem()}
	case interface{ Elem() types.Type }:
		return []types.Type{t.Elem()}
	case *types.Struct:
		for field := range t.Fields() {
			list = append(list, field.Type())
		}
	}
	return list
}
