package kubebuilder

import (
	"encoding/json"
	"reflect"
)

// A gateway puts a module back into the state after its initialisation before every batch. What a package finds out about types
// when it meets them for the first time, as encoding/json does, would therefore be found out again with every review: 10 ms for
// prometheus-operator's AlertmanagerConfig, against 0.2 ms for the conversion. So each version is decoded and encoded once at
// initialisation, with something in every field.

// warm has a version's type met once.
func (k Kind) warm(v Version) {
	defer func() { _ = recover() }() // a type that cannot be filled like this stays cold
	unmarshal := k.Unmarshal
	if unmarshal == nil {
		unmarshal = json.Unmarshal
	}
	full := v.make()
	fill(reflect.ValueOf(full).Elem(), map[reflect.Type]bool{})
	if text, err := json.Marshal(full); err == nil {
		_ = unmarshal(text, v.make())
	}
}

// fill puts something into every pointer, slice and map of v, once for each struct type.
func fill(v reflect.Value, seen map[reflect.Type]bool) {
	t := v.Type()
	switch v.Kind() {
	case reflect.Pointer:
		value := reflect.New(t.Elem())
		fill(value.Elem(), seen)
		v.Set(value)
	case reflect.Slice:
		value := reflect.MakeSlice(t, 1, 1)
		fill(value.Index(0), seen)
		v.Set(value)
	case reflect.Map:
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		fill(value, seen)
		m := reflect.MakeMap(t)
		m.SetMapIndex(key, value)
		v.Set(m)
	case reflect.Struct:
		if seen[t] {
			return
		}
		seen[t] = true
		for i := range v.NumField() {
			if t.Field(i).IsExported() {
				fill(v.Field(i), seen)
			}
		}
	}
}
