package adopttest

import (
	"reflect"
	"slices"
	"strings"
)

// wrongInOpaqueOnly reports whether the operator's types decode an object without the values of
// opaque types: a module does not check these.
func (c *comparison) wrongInOpaqueOnly(text []byte) bool {
	o, err := decodeObject(text)
	if err != nil || len(c.kind.Opaque) == 0 {
		return false
	}
	prune(o, c.from.of, c.kind.Opaque)
	return !strings.HasPrefix(c.once(c.from, c.to, encode(o)).refusal, decoding)
}

// prune deletes the members of a decoded value of a type that are of types with one of the names.
func prune(v any, t reflect.Type, names []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case []any:
		if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
			for i, e := range v {
				if isOpaque(t.Elem(), names) {
					v[i] = map[string]any{}
					continue
				}
				prune(e, t.Elem(), names)
			}
		}
	case map[string]any:
		if t.Kind() == reflect.Map {
			for key, e := range v {
				if isOpaque(t.Elem(), names) {
					delete(v, key)
					continue
				}
				prune(e, t.Elem(), names)
			}
		}
		if t.Kind() != reflect.Struct {
			return
		}
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				prune(v, f.Type, names)
			case v[name] != nil && isOpaque(f.Type, names):
				delete(v, name)
			case v[name] != nil:
				prune(v[name], f.Type, names)
			}
		}
	}
}

func isOpaque(t reflect.Type, names []string) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return slices.Contains(names, t.PkgPath()+"."+t.Name())
}
