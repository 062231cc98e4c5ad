package adopttest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"reflect"
)

// random returns the text of a random object of a version. density is the share of members that it
// has; whole objects have each member once at every place, except within themselves.
func (c *comparison) random(of Version, density float64, whole bool, number int) ([]byte, error) {
	v := reflect.New(of.of)
	f := c.filler(density)
	if whole {
		f.whole, f.left = true, 60_000
	}
	f.fill(v.Elem(), 0)
	return c.text(of, v, number)
}

// text returns the text of a typed object, with labels and annotations that an API server takes.
func (c *comparison) text(of Version, v reflect.Value, number int) ([]byte, error) {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, fmt.Errorf("an object of %s cannot be encoded: %w", of.apiVersion, err)
	}
	o, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	if metadata, _ := o["metadata"].(map[string]any); metadata != nil {
		c.valid(metadata, "labels", []string{"app", "example.com/part", "tier"}, []string{"", "a", "v1"})
		c.valid(metadata, "annotations", append(c.given.annotationKeys(), "app", "example.com/part", "tier"), append(jsonTexts(), words()...))
	}
	return c.finish(of, o, number), nil
}

// valid replaces the keys of labels or annotations that no API server takes, and the values of
// these.
func (c *comparison) valid(metadata map[string]any, name string, keys, values []string) {
	m, _ := metadata[name].(map[string]any)
	if m == nil {
		return
	}
	valid := map[string]any{}
	for key, value := range m {
		if name == "annotations" && qualifiedName.MatchString(key) {
			valid[key] = value
		} else {
			valid[keys[c.r.Intn(len(keys))]] = values[c.r.Intn(len(values))]
		}
	}
	metadata[name] = valid
}

func (c *comparison) filler(density float64) *filler {
	return &filler{r: c.r, density: density, left: 1500, given: c.given, structs: c.structs, largest: c.largest, wide: c.wide, within: map[reflect.Type]bool{}}
}

// filler puts random things into a value.
type filler struct {
	r       *rand.Rand
	density float64
	largest float64 // number; 0 = no limit
	left    int     // values; fewer and fewer are filled as it goes down, so that an object has an end
	given   inputs
	structs []reflect.Type        // whose JSON a value without a type may have
	nested  bool                  // in such a value
	whole   bool                  // leaves nothing out
	wide    bool                  // see comparison.wide
	within  map[reflect.Type]bool // structs around the value
}

func (f *filler) fill(v reflect.Value, depth int) {
	t := v.Type()
	if t.Kind() != reflect.Pointer && t.Name() != "" && f.selfDecoded(v) {
		return
	}
	if f.left--; f.left < 0 || depth > 16 && !f.whole {
		f.fillRequired(v)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.whole || f.r.Intn(2) == 0)
	case reflect.String:
		v.SetString(f.word(t))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := []int64{1, 2, 80, 100, -1, 300, 1000, math.MaxInt32, math.MaxInt32 + 1, -1 << 40, 0}[f.r.Intn(f.among(11))]
		if f.largest > 0 && math.Abs(float64(n)) > f.largest {
			n = 3
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := []uint64{1, 80, 100, 1000, math.MaxUint32, 0}[f.r.Intn(f.among(6))]
		if f.largest > 0 && float64(n) > f.largest {
			n = 3
		}
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{1, 0.5, -2, 1e-7, 0}[f.r.Intn(f.among(5))])
	case reflect.Pointer:
		if f.there() && f.enter(t.Elem()) {
			v.Set(reflect.New(t.Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if f.there() && f.enter(t.Elem()) {
			v.Set(reflect.MakeSlice(t, f.number(), 3))
			for i := range v.Len() {
				f.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		if f.there() && f.enter(t.Elem()) {
			v.Set(reflect.MakeMap(t))
			for range f.number() {
				key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
				f.fill(key, depth+1)
				f.fill(value, depth+1)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Struct:
		f.within[t] = true
		for i := range v.NumField() {
			if v.Field(i).CanSet() && (t.Field(i).Anonymous || depth < 2 || decodesItself(t.Field(i).Type) || f.there()) {
				f.fill(v.Field(i), depth+1)
			}
		}
		delete(f.within, t)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			values := []any{"x", true, 1.5, map[string]any{"a": "b"}, 7, []any{1.0, "y"}, 1<<53 + 1}
			if f.largest > 0 {
				values = values[:len(values)-1]
			}
			v.Set(reflect.ValueOf(values[f.r.Intn(len(values))]))
		}
	}
}

// fillRequired fills the parts of an empty value without which it cannot be encoded.
func (f *filler) fillRequired(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if field := v.Field(i); field.CanSet() && !f.selfDecoded(field) {
			f.fillRequired(field)
		}
	}
}

func (f *filler) there() bool { return f.whole || f.r.Float64() < f.density }

// enter reports whether a value of a type may be made here: whole objects have no types within
// themselves.
func (f *filler) enter(t reflect.Type) bool { return !f.whole || !f.within[t] }

// number returns how many elements a list has.
func (f *filler) number() int {
	if f.whole {
		return 1 + f.r.Intn(2)
	}
	return f.r.Intn(3)
}

// among returns how many of n values to choose from; the last is zero, which whole objects do not
// have.
func (f *filler) among(n int) int {
	if f.whole {
		return n - 1
	}
	return n
}

// word returns a text for a type: one of its constants mostly, if it has some, or of the
// conversions'.
func (f *filler) word(t reflect.Type) string {
	if own := f.given.Types[t.PkgPath()+"."+t.Name()]; len(own) > 0 && f.r.Intn(5) > 0 {
		return own[f.r.Intn(len(own))]
	}
	list := words()
	if len(f.given.Words) > 0 && f.r.Intn(3) == 0 {
		list = f.given.Words
	}
	word := list[f.r.Intn(len(list))]
	if f.whole && word == "" {
		return "a"
	}
	return word
}

func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// selfDecoded fills a value of a type with a method that decodes, from a text that it takes.
func (f *filler) selfDecoded(v reflect.Value) bool {
	if !decodesItself(v.Type()) {
		return false
	}
	p := v.Addr().Interface()
	if _, err := json.Marshal(p); err == nil && (f.left < 0 || !f.there()) {
		return true // some types cannot encode their zero value
	}
	candidates := texts()
	f.r.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	if f.r.Intn(2) == 0 {
		if text := f.structText(); text != "" {
			candidates = append([]string{text}, candidates...)
		}
	}
	if words := f.given.Words; f.wide && len(words) > 0 && f.r.Intn(3) == 0 { // such as the names of an enumeration
		for range 3 {
			text, _ := json.Marshal(words[f.r.Intn(len(words))])
			candidates = append([]string{string(text)}, candidates...)
		}
	}
	for _, text := range candidates {
		try := reflect.New(v.Type())
		if json.Unmarshal([]byte(text), try.Interface()) != nil {
			continue
		}
		if _, err := json.Marshal(try.Interface()); err == nil {
			v.Set(try.Elem())
			break
		}
	}
	return true
}
