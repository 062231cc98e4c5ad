package adopttest

import (
	"encoding/json"
	"reflect"
	"strings"
)

// pathsIn returns the members that a typed value has, at every depth, without empty ones. Elements of lists are
// written [], and of maps *.
func pathsIn(v reflect.Value) map[string]bool {
	found := map[string]bool{}
	walkValue(v, "", found)
	return found
}

func walkValue(v reflect.Value, path string, found map[string]bool) {
	if v.IsZero() {
		return
	}
	if path != "" {
		found[path] = true
	}
	if leaf(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		walkValue(v.Elem(), path, found)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			walkValue(v.Index(i), path+"[]", found)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			walkValue(v.MapIndex(key), path+".*", found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if at, ok := fieldPath(v.Type().Field(i), path); ok {
				walkValue(v.Field(i), at, found)
			}
		}
	}
}

// pathsOf returns the members that values of a type can have, in the order of the fields. Types within themselves are
// left out.
func pathsOf(t reflect.Type) (all []string) {
	var walk func(t reflect.Type, path string, within []reflect.Type)
	walk = func(t reflect.Type, path string, within []reflect.Type) {
		for _, outer := range within {
			if outer == t {
				return
			}
		}
		if path != "" && t.Kind() != reflect.Pointer && !hollow(t) {
			all = append(all, path)
		}
		if leaf(t) {
			return
		}
		switch t.Kind() {
		case reflect.Pointer:
			walk(t.Elem(), path, within)
		case reflect.Slice, reflect.Array:
			walk(t.Elem(), path+"[]", within)
		case reflect.Map:
			walk(t.Elem(), path+".*", within)
		case reflect.Struct:
			within = append(within[:len(within):len(within)], t)
			for i := range t.NumField() {
				if at, ok := fieldPath(t.Field(i), path); ok {
					walk(t.Field(i).Type, at, within)
				}
			}
		case reflect.Interface, reflect.Chan, reflect.Func:
			if t.NumMethod() > 0 && path != "" { // which no decoder fills
				all = all[:len(all)-1]
			}
		}
	}
	walk(t, "", nil)
	return all
}

// hollow reports whether a type is a struct without members, which is always empty.
func hollow(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || leaf(t) {
		return false
	}
	for i := range t.NumField() {
		if _, ok := fieldPath(t.Field(i), "x"); ok {
			return false
		}
	}
	return true
}

// leaf reports whether a type's inside is its own matter.
func leaf(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && t.Name() != "" && decodesItself(t)
}

// fieldPath returns the path of a field of a struct at a path; ok is false for those that are not
// in JSON, and for apiVersion, kind and metadata.
func fieldPath(f reflect.StructField, path string) (at string, ok bool) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "-" || !f.IsExported() && !f.Anonymous:
		return "", false
	case f.Anonymous && name == "":
		return path, f.Name != "TypeMeta"
	case name == "":
		name = f.Name
	}
	if path == "" {
		return name, name != "apiVersion" && name != "kind" && name != "metadata"
	}
	return path + "." + name, true
}

// force fills the member at a path, with those around it, and reports whether there is such a
// place.
func (f *filler) force(v reflect.Value, path, target string) bool {
	if v.Kind() != reflect.Pointer && path == target {
		f.whole, f.left = true, 200
		f.fill(v, 3)
		f.whole = false
		return true
	}
	if !strings.HasPrefix(target, path) || v.Kind() != reflect.Pointer && path != "" && leaf(v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return f.force(v.Elem(), path, target)
	case reflect.Slice:
		one := reflect.New(v.Type().Elem()).Elem()
		if !f.force(one, path+"[]", target) {
			return false
		}
		v.Set(reflect.Append(v, one))
		return true
	case reflect.Array:
		return v.Len() > 0 && f.force(v.Index(0), path+"[]", target)
	case reflect.Map:
		key, one := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.whole, f.left = true, 10
		f.fill(key, 3)
		f.whole = false
		if !f.force(one, path+".*", target) {
			return false
		}
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		v.SetMapIndex(key, one)
		return true
	case reflect.Struct:
		for i := range v.NumField() {
			at, ok := fieldPath(v.Type().Field(i), path)
			if !ok || !v.Field(i).CanSet() || at != target && !strings.HasPrefix(target, at+".") && !strings.HasPrefix(target, at+"[") && at != path {
				continue
			}
			if f.force(v.Field(i), at, target) {
				return true
			}
		}
	}
	return false
}

// forced returns the text of an object that is changed to have the member at a path.
func (c *comparison) forced(text []byte, path string, number int) ([]byte, bool) {
	v := reflect.New(c.from.of)
	if json.Unmarshal(text, v.Interface()) != nil {
		return nil, false
	}
	if !c.filler(0.3).force(v.Elem(), "", path) {
		return nil, false
	}
	text, err := c.text(c.from, v, number)
	return text, err == nil
}
