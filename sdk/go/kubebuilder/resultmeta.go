package kubebuilder

import (
	"reflect"
	"unsafe"
)

// resultMeta sets the apiVersion and the kind of a new object before a conversion fills it, as
// controller-runtime does: a conversion may read them. An object on the way to another version has
// none there, either.
type resultMeta struct {
	apiVersion          string // "": the types have no TypeMeta
	version, kind, from uintptr
}

// resultMetaOf finds the places in the types; both must have a field TypeMeta.
func resultMetaOf(in, out reflect.Type, apiVersion string) resultMeta {
	version, ok := stringIn(out, "APIVersion")
	kind, also := stringIn(out, "Kind")
	from, source := stringIn(in, "Kind")
	if !ok || !also || !source {
		return resultMeta{}
	}
	return resultMeta{apiVersion: apiVersion, version: version, kind: kind, from: from}
}

// stringIn returns the offset of a string in the field TypeMeta of a struct.
func stringIn(t reflect.Type, name string) (offset uintptr, ok bool) {
	outer, ok := t.FieldByName("TypeMeta")
	if !ok || len(outer.Index) != 1 || outer.Type.Kind() != reflect.Struct {
		return 0, false
	}
	inner, ok := outer.Type.FieldByName(name)
	if !ok || len(inner.Index) != 1 || inner.Type.Kind() != reflect.String {
		return 0, false
	}
	return outer.Offset + inner.Offset, true
}

func (m *resultMeta) set(in, out unsafe.Pointer) {
	if m.apiVersion == "" {
		return
	}
	*(*string)(unsafe.Add(out, m.version)) = m.apiVersion
	*(*string)(unsafe.Add(out, m.kind)) = *(*string)(unsafe.Add(in, m.from))
}
