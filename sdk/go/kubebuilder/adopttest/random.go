package adopttest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"testing"
)

// random returns the text of a random object of the version converted from. density is the share of
// members that it has.
func (c *comparison) random(t *testing.T, density float64, number int) []byte {
	t.Helper()
	v := reflect.New(c.from.of)
	f := filler{r: c.r, density: density, left: 1500}
	f.fill(v.Elem(), 0)
	text, err := json.Marshal(v.Interface())
	if err != nil {
		t.Fatalf("a random object of %s cannot be encoded: %v", c.from.apiVersion, err)
	}
	o := decode(t, text).(map[string]any)
	o["apiVersion"], o["kind"] = c.from.apiVersion, c.kind.Name
	metadata, _ := o["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	for _, name := range []string{"managedFields", "resourceVersion", "selfLink"} { // the gateway shows a module none of these
		delete(metadata, name)
	}
	for _, name := range []string{"labels", "annotations"} { // an API server takes no others
		if m, ok := metadata[name].(map[string]any); ok {
			keys := []string{"app", "example.com/part", "tier"}
			valid := map[string]any{}
			for i := range len(m) {
				valid[keys[i%len(keys)]] = []string{"", "a", "v1"}[c.r.Intn(3)]
			}
			metadata[name] = valid
		}
	}
	metadata["name"], metadata["uid"] = fmt.Sprintf("n%d", number), fmt.Sprintf("u%d", number)
	o["metadata"] = metadata
	return encode(t, o)
}

// filler puts random things into a value.
type filler struct {
	r       *rand.Rand
	density float64
	left    int // values; fewer and fewer are filled as it goes down, so that an object has an end
}

// words are texts that some conversion might parse.
func words() []string {
	return []string{"", "a", "name-1", "7", "30s", "1h5m", "10.0.0.0/8", "192.168.1.1", "65000:100", "https://example.com/x?y=<z>", "true", "100Mi", "é\u2028", "group.example.com/v1"}
}

// texts are JSON values for types that decode themselves.
func texts() []string {
	return []string{`"2024-05-06T07:08:09Z"`, `"2024-05-06T07:08:09.123456Z"`, `"5m0s"`, `"100m"`, `"2Gi"`, `{"a":[1,"<b>",{"c":null}]}`, `80`, `"http"`, `true`, `["x"]`, `"10%"`, `"AQID"`}
}

func (f *filler) fill(v reflect.Value, depth int) {
	t := v.Type()
	if t.Kind() != reflect.Pointer && t.Name() != "" && f.selfDecoded(v) {
		return
	}
	if f.left--; f.left < 0 || depth > 16 {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.r.Intn(2) == 0)
	case reflect.String:
		v.SetString(words()[f.r.Intn(len(words()))])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, 2, 80, 100, -1, 300, 1000}[f.r.Intn(8)])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint([]uint64{0, 1, 80, 100, 1000}[f.r.Intn(5)])
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1, 0.5, -2, 1e-7}[f.r.Intn(5)])
	case reflect.Pointer:
		if f.there() {
			v.Set(reflect.New(t.Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if f.there() {
			v.Set(reflect.MakeSlice(t, f.r.Intn(3), 3))
			for i := range v.Len() {
				f.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		if f.there() {
			v.Set(reflect.MakeMap(t))
			for range f.r.Intn(3) {
				key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
				f.fill(key, depth+1)
				f.fill(value, depth+1)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() && (t.Field(i).Anonymous || depth < 2 || decodesItself(t.Field(i).Type) || f.there()) {
				f.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Interface:
		if t.NumMethod() == 0 {
			v.Set(reflect.ValueOf([]any{"x", true, 1.5, map[string]any{"a": "b"}}[f.r.Intn(4)]))
		}
	}
}

func (f *filler) there() bool { return f.r.Float64() < f.density }

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
	for _, i := range f.r.Perm(len(texts())) {
		try := reflect.New(v.Type())
		if json.Unmarshal([]byte(texts()[i]), try.Interface()) != nil {
			continue
		}
		if _, err := json.Marshal(try.Interface()); err == nil {
			v.Set(try.Elem())
			break
		}
	}
	return true
}

// fragment returns some of an object's members, as server-side apply converts them.
func (c *comparison) fragment(t *testing.T, text []byte) []byte {
	o := decode(t, text).(map[string]any)
	metadata := o["metadata"].(map[string]any)
	for name := range metadata {
		if name != "name" && name != "labels" {
			delete(metadata, name)
		}
	}
	for name, member := range o {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			c.thin(member, 0.5)
		}
	}
	return encode(t, o)
}

// thin deletes members at random.
func (c *comparison) thin(v any, share float64) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if v[name] == nil || c.r.Float64() < share {
				delete(v, name)
			} else {
				c.thin(v[name], share/2)
			}
		}
	case []any:
		for _, e := range v {
			c.thin(e, share/2)
		}
	}
}

// mutations returns the object without one of its members, and with null for it, for each of its
// paths up to a number of them.
func mutations(t *testing.T, text []byte, most int, r *rand.Rand) (all [][]byte) {
	if text == nil {
		return nil
	}
	root := decode(t, text).(map[string]any)
	var walk func(v any, metadata bool)
	walk = func(v any, metadata bool) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range sortedKeys(v) {
				member := v[name]
				if member == nil || metadata && (name == "uid" || name == "name") {
					continue
				}
				walk(member, metadata)
				delete(v, name)
				all = append(all, encode(t, root))
				if !metadata {
					v[name] = nil
					all = append(all, encode(t, root))
				}
				v[name] = member
			}
		case []any:
			for _, e := range v {
				walk(e, metadata)
			}
		}
	}
	for _, name := range sortedKeys(root) {
		if name == "apiVersion" || name == "kind" {
			continue
		}
		walk(root[name], name == "metadata")
		if member := root[name]; name != "metadata" {
			delete(root, name)
			all = append(all, encode(t, root))
			root[name] = member
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), 2*most)]
}
