package adopttest

import (
	"encoding/json"
	"math/rand"
	"reflect"
)

// changed returns the text of an object of a version with one to three members changed: filled,
// emptied, repeated, or of another value; or, if the comparison is wide, with a change inside the
// JSON of an annotation, in which operators keep what a version lacks.
func (c *comparison) changed(of Version, text []byte, number int) ([]byte, error) {
	if c.wide && c.r.Intn(8) == 0 {
		if o, ok := c.changedAnnotation(text); ok {
			return c.finish(of, o, number), nil
		}
	}
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
		case f.wide && f.r.Intn(2) == 0:
			f.repeat(v, depth)
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

// repeat appends a copy of an element to a list, and changes one of both: they have a name or another
// key in common.
func (f *filler) repeat(list reflect.Value, depth int) {
	one := reflect.New(list.Type().Elem())
	old := list.Index(f.r.Intn(list.Len()))
	text, err := json.Marshal(old.Interface())
	if err != nil || json.Unmarshal(text, one.Interface()) != nil {
		return
	}
	if f.r.Intn(2) == 0 {
		f.change(old, depth+1)
	} else {
		f.change(one.Elem(), depth+1)
	}
	list.Set(reflect.Append(list, one.Elem()))
}

// changedAnnotation changes something inside the JSON of an annotation, or makes it something else
// than JSON; ok is false if there is no such annotation.
func (c *comparison) changedAnnotation(text []byte) (o map[string]any, ok bool) {
	o, err := decodeObject(text)
	if err != nil {
		return nil, false
	}
	metadata, _ := o["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	for _, key := range sortedKeys(annotations) {
		value, _ := annotations[key].(string)
		root, err := decodeObject([]byte(value))
		if err != nil {
			continue
		}
		if places := placesIn(root, true); len(places) > 0 && c.r.Intn(8) > 0 {
			places[c.r.Intn(len(places))](c.r)
			annotations[key] = string(encode(root))
		} else {
			annotations[key] = value[:c.r.Intn(len(value))]
		}
		return o, true
	}
	return nil, false
}

// placesIn returns functions that each change a member inside a decoded value: they give it another
// value, or delete it, if they may.
func placesIn(root any, mayDelete bool) (places []func(r *rand.Rand)) {
	switch v := root.(type) {
	case map[string]any:
		for _, name := range sortedKeys(v) {
			places = append(places, func(r *rand.Rand) {
				if mayDelete && r.Intn(2) == 0 {
					delete(v, name)
				} else {
					v[name] = json.RawMessage(texts()[r.Intn(len(texts()))])
				}
			})
			places = append(places, placesIn(v[name], mayDelete)...)
		}
	case []any:
		for i := range v {
			places = append(places, func(r *rand.Rand) { v[i] = json.RawMessage(texts()[r.Intn(len(texts()))]) })
			places = append(places, placesIn(v[i], mayDelete)...)
		}
	}
	return places
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
	places := placesIn(root, f.wide)
	if len(places) == 0 {
		return false
	}
	places[f.r.Intn(len(places))](f.r)
	changed := reflect.New(v.Type())
	if json.Unmarshal(encode(root), changed.Interface()) != nil {
		return false
	}
	v.Set(changed.Elem())
	return true
}
