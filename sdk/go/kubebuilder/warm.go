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
	again, text := reflect.New(of), sample(set, of)
	if text == nil {
		return
	}
	if unmarshal != nil {
		_ = unmarshal(text, again.Interface())
		return
	}
	_ = set.Codec(of).Decode(text, again.UnsafePointer())
}

// warmConversion has an object converted once: libraries that the operator's code calls may prepare
// something at their first call, such as the tables of runtime.DefaultUnstructuredConverter, which
// take ten times as long as the conversion. A conversion that does not take the object, or panics,
// has prepared what it could.
func warmConversion(set *codec.Set, c conversion) {
	defer func() { _ = recover() }()
	text := sample(set, c.in)
	if text == nil {
		return
	}
	o := crosswalk.Parse(text)
	o.SetString(crosswalk.Path{"apiVersion"}, c.from)
	o.SetString(crosswalk.Path{"metadata", "name"}, "warm")
	o.SetString(crosswalk.Path{"metadata", "uid"}, "warm") // not a fragment
	text, err := o.AppendJSON(nil)
	if err != nil {
		return
	}
	if c.text != nil {
		if _, done, err := c.text(nil, text); done || err != nil {
			return
		}
	}
	_ = c.convert(o)
}

// sample returns an object of a type with something in every field, or in each that the type's
// methods take: Tekton's ParamValue, for example, does not encode its zero value. It returns nil if
// they take nothing.
func sample(set *codec.Set, of reflect.Type) []byte {
	full := reflect.New(of)
	filler{seen: map[reflect.Type]bool{}}.fill(full.Elem())
	if text, ok := encodes(set, full); ok {
		return text
	}
	full = reflect.New(of)
	filler{seen: map[reflect.Type]bool{}, takes: func(v reflect.Value) bool {
		_, ok := encodes(set, v)
		return ok
	}}.fill(full.Elem())
	if text, ok := encodes(set, full); ok {
		return text
	}
	return nil
}

// encodes encodes the value that v points to.
func encodes(set *codec.Set, v reflect.Value) (text []byte, ok bool) {
	defer func() { _ = recover() }()
	text, err := set.Codec(v.Type().Elem()).Append(nil, v.UnsafePointer())
	return text, err == nil
}

// filler puts something into pointers, slices and maps, once for each struct type.
type filler struct {
	seen  map[reflect.Type]bool
	takes func(pointer reflect.Value) bool // nil: every value
}

func (f filler) fill(v reflect.Value) {
	t := v.Type()
	if reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ UnmarshalJSON([]byte) error }]()) {
		return // which takes what its method MarshalJSON makes of a zero value, and not just anything
	}
	switch v.Kind() {
	case reflect.Pointer:
		if value, ok := f.element(t); ok {
			v.Set(value)
		}
	case reflect.Slice:
		if value, ok := f.element(t); ok {
			v.Set(reflect.Append(v, value.Elem()))
		}
	case reflect.Map:
		if value, ok := f.element(t); ok {
			v.Set(reflect.MakeMap(t))
			v.SetMapIndex(reflect.New(t.Key()).Elem(), value.Elem())
		}
	case reflect.Struct:
		if f.seen[t] {
			return
		}
		f.seen[t] = true
		for i := range v.NumField() {
			if t.Field(i).IsExported() {
				f.fill(v.Field(i))
			}
		}
	}
}

// element returns a pointer to a full element of a pointer, slice or map.
func (f filler) element(of reflect.Type) (value reflect.Value, ok bool) {
	value = reflect.New(of.Elem())
	f.fill(value.Elem())
	return value, f.takes == nil || f.takes(value)
}
