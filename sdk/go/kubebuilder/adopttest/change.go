package adopttest

import (
	"encoding/json"
	"reflect"
)

// changed returns the text of an object of a version with one to three members changed: filled,
// emptied, repeated, or of another value.
func (c *comparison) changed(of Version, text []byte, number int) ([]byte, error) {
	v := reflect.New(of.of)
	if err := json.Unmarshal(text, v.Interface()); err != nil {
		return nil, err
	}
	f := c.filler([]float64{0.1, 0.4, 0.8}[c.r.Intn(3)])
	for range 1 + c.r.Intn(3) {
		f.change(v.Elem(), 0)
	}
	return c.text(of, v, number)
}

// change changes one value inside v.
func (f *filler) change(v reflect.Value, depth int) {
	t := v.Type()
	if t.Kind() != reflect.Pointer && t.Name() != "" && decodesItself(t) {
		if f.r.Intn(2) == 0 || !f.changeInside(v) {
			f.refill(v)
		}
		return
	}
	const again = 4 // of this many changes, one is of the value as a whole
	inside := depth < 3 || f.r.Intn(again) > 0
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || !inside {
			f.toggle(v)
		} else {
			f.change(v.Elem(), depth+1)
		}
	case reflect.Struct:
		var settable []int
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				settable = append(settable, i)
			}
		}
		if len(settable) > 0 {
			f.change(v.Field(settable[f.r.Intn(len(settable))]), depth+1)
		}
	case reflect.Slice:
		switch n := v.Len(); {
		case n == 0:
			f.toggle(v)
		case inside:
			f.change(v.Index(f.r.Intn(n)), depth+1)
		case f.r.Intn(2) == 0:
			i := f.r.Intn(n)
			v.Set(reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, n)))
		default:
			one := reflect.New(t.Elem()).Elem()
			f.refill(one)
			v.Set(reflect.Append(v, one))
		}
	case reflect.Map:
		keys := v.MapKeys()
		if len(keys) == 0 || f.r.Intn(again) == 0 {
			f.toggle(v)
			return
		}
		key := keys[f.r.Intn(len(keys))]
		if !inside {
			v.SetMapIndex(key, reflect.Value{})
			return
		}
		value := reflect.New(t.Elem()).Elem()
		value.Set(v.MapIndex(key))
		f.change(value, depth+1)
		v.SetMapIndex(key, value)
	default:
		f.refill(v)
	}
}

// refill gives a value another one.
func (f *filler) refill(v reflect.Value) {
	f.left = 300
	v.SetZero()
	f.fill(v, 3)
}

// toggle empties a value that has something, and fills one that has nothing.
func (f *filler) toggle(v reflect.Value) {
	if v.IsZero() {
		density := f.density
		f.density, f.left = 1, 60 // the value is there, and some of what is in it
		f.fill(v, 3)
		f.density = density
		return
	}
	v.SetZero()
}

// changeInside replaces a value inside the JSON text of a value that decodes itself, and reports
// whether the type takes the result. A conversion may decode such a text at every depth.
func (f *filler) changeInside(v reflect.Value) bool {
	text, err := json.Marshal(v.Interface())
	var root any
	if err != nil || json.Unmarshal(text, &root) != nil {
		return false
	}
	var places []func(value any)
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range sortedKeys(v) {
				places = append(places, func(value any) { v[name] = value })
				walk(v[name])
			}
		case []any:
			for i := range v {
				places = append(places, func(value any) { v[i] = value })
				walk(v[i])
			}
		}
	}
	walk(root)
	if len(places) == 0 {
		return false
	}
	places[f.r.Intn(len(places))](json.RawMessage(texts()[f.r.Intn(len(texts()))]))
	changed := reflect.New(v.Type())
	if json.Unmarshal(encode(root), changed.Interface()) != nil {
		return false
	}
	v.Set(changed.Elem())
	return true
}
