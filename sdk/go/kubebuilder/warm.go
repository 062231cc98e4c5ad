package kubebuilder

import (
	"reflect"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// A gateway puts a module back into the state after its initialisation before every batch. The
// tables of a codec are built at initialisation and stay. An operator's own MarshalJSON, and a
// Kind's Unmarshal, may prepare something when they meet a type for the first time, and would do so
// for every review. So each version is decoded and encoded once at initialisation, with something
// in every field.

// warm has a type met once.
func warm(set *codec.Set, unmarshal func([]byte, any) error, of reflect.Type) {
	meet(set, unmarshal, of)
	set.Warm()
}

func meet(set *codec.Set, unmarshal func([]byte, any) error, of reflect.Type) {
	defer func() { _ = recover() }() // a type whose methods do not take what is in it stays cold
	c := set.Codec(of)
	full, again := reflect.New(of), reflect.New(of)
	fill(full.Elem(), map[reflect.Type]bool{})
	text, err := c.Append(nil, full.UnsafePointer())
	if err != nil {
		return
	}
	if unmarshal != nil {
		_ = unmarshal(text, again.Interface())
		return
	}
	_ = c.Decode(text, again.UnsafePointer())
}

// warmConversion has an object converted once: libraries that the operator's code calls may prepare
// something at their first call, such as the tables of runtime.DefaultUnstructuredConverter, which
// take ten times as long as the conversion. A conversion that does not take the object, or panics,
// has prepared what it could.
func warmConversion(set *codec.Set, c conversion) {
	defer func() { _ = recover() }()
	full := reflect.New(c.in)
	fill(full.Elem(), map[reflect.Type]bool{})
	text, err := set.Codec(c.in).Append(nil, full.UnsafePointer())
	if err != nil {
		return
	}
	o := crosswalk.Parse(text)
	o.SetString(crosswalk.Path{"apiVersion"}, c.from)
	o.SetString(crosswalk.Path{"metadata", "name"}, "warm")
	o.SetString(crosswalk.Path{"metadata", "uid"}, "warm") // not a fragment
	if text, err = o.AppendJSON(nil); err != nil {
		return
	}
	if c.text != nil {
		if _, done, err := c.text(nil, text); done || err != nil {
			return
		}
	}
	_ = c.convert(o)
}

// fill puts something into every pointer, slice and map of v, once for each struct type.
func fill(v reflect.Value, seen map[reflect.Type]bool) {
	t := v.Type()
	if reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ UnmarshalJSON([]byte) error }]()) {
		return // which takes what its method MarshalJSON makes of a zero value, and not just anything
	}
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
