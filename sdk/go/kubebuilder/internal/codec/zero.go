package codec

import (
	"reflect"
	"unsafe"
)

// zero says whether omitzero leaves the value out.
func (f *field) zero(v unsafe.Pointer, addressable bool) bool {
	value := f.plan.value(v)
	switch f.isZero {
	case zeroByMethod:
		return value.Kind() == reflect.Pointer && value.IsNil() || value.Interface().(zeroer).IsZero()
	case zeroByPointerMethod:
		if !addressable {
			boxed := reflect.New(f.plan.t)
			boxed.Elem().Set(value)
			return boxed.Interface().(zeroer).IsZero()
		}
		return f.plan.pointer(v).(zeroer).IsZero()
	case zeroByInterfaceMethod:
		return value.IsNil() || value.Elem().Kind() == reflect.Pointer && value.Elem().IsNil() || value.Interface().(zeroer).IsZero()
	}
	if f.plan.op == opOpaque {
		raw := *(*string)(v)
		return raw == "" || raw == "{}" || raw == f.plan.zero
	}
	return value.IsZero()
}
