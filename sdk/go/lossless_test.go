package crosswalk

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestLossless(t *testing.T) {
	down := func(o *Object) error {
		o.Rename(Path{"spec", "replicas"}, "size")
		for _, host := range o.Elements("spec", "hosts") {
			host.Remove("port")
		}
		o.Remove("spec", "tls")
		o.Remove("top")
		for i, host := range o.Elements("spec", "short") {
			if i > 0 {
				host.Remove()
			}
		}
		return nil
	}
	up := func(o *Object) error {
		o.Rename(Path{"spec", "size"}, "replicas")
		if _, ok := o.Get("spec", "policy"); !ok {
			o.SetString(Path{"spec", "policy"}, "invented")
		}
		return nil
	}
	tests := []struct {
		name, in, old string // old without the stash
		kept          string // the parcels without hashes
	}{
		{"nothing to keep", `{"metadata":{},"spec":{"policy":"p"}}`, `{"metadata":{},"spec":{"policy":"p"}}`, ``},
		{"members and elements", `{"metadata":{},"spec":{"policy":"p","hosts":[{"n":1,"port":2},{"n":3}],"tls":{"a":1}},"top":1.50}`,
			`{"metadata":{},"spec":{"policy":"p","hosts":[{"n":1},{"n":3}]}}`, `{"set":{"/spec/hosts/0/port":2,"/spec/tls":{"a":1},"/top":1.50}}`},
		{"lists of other lengths, as a whole", `{"metadata":{},"spec":{"policy":"p","short":[1,2]}}`,
			`{"metadata":{},"spec":{"policy":"p","short":[1]}}`, `{"set":{"/spec/short":[1,2]}}`},
		{"what is invented", `{"metadata":{},"spec":{"replicas":1}}`, `{"metadata":{},"spec":{"size":1}}`, `{"gone":["/spec/policy"]}`},
		{"what is invented at the top", `{"metadata":{}}`, `{"metadata":{}}`, `{"gone":["/spec"]}`},
		{"a null is nothing to keep", `{"metadata":{},"spec":{"policy":"p","tls":null}}`, `{"metadata":{},"spec":{"policy":"p"}}`, ``},
		{"a fragment", `{"spec":{"tls":1}}`, `{"spec":{}}`, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var r registry
			r.register("e.g/new", "e.g/old", Lossless(down, up))
			r.register("e.g/old", "e.g/new", Lossless(up, down))
			in := `{"apiVersion":"e.g/new",` + test.in[1:]
			text, err := r.convert(nil, []byte(in), "e.g/old")
			if err != nil {
				t.Fatal(err)
			}
			old := Parse(text)
			kept := ""
			if annotation, ok := old.Annotation("conversion.e.g/stash"); ok {
				kept = withoutHash(t, annotation)
			}
			old.RemoveAnnotation("conversion.e.g/stash")
			if got, err := old.AppendJSON(nil); err != nil || string(got) != `{"apiVersion":"e.g/old",`+test.old[1:] {
				t.Errorf("got  %s, %v\nwant %s", got, err, test.old)
			}
			if kept != test.kept {
				t.Errorf("kept %s\nwant %s", kept, test.kept)
			}
			if test.name == "a fragment" {
				return
			}
			again, err := r.convert(nil, text, "e.g/new")
			if err != nil || !sameJSON(t, again, []byte(in)) {
				t.Errorf("came back as %s, %v\nbut was      %s", again, err, in)
			}
		})
	}
}

// withoutHash returns the parcels of a stash, without their hashes.
func withoutHash(t *testing.T, annotation string) string {
	_, kept, ok := strings.Cut(annotation, `{"new":{"in":"old","kept":[{"hash":"`)
	if !ok || len(kept) < 16 {
		t.Fatalf("the stash is %s", annotation)
	}
	return "{" + strings.TrimSuffix(strings.TrimPrefix(kept[16:], `",`), `]}}`)
}

// TestLosslessRandom removes and changes random parts of random objects; the conversion back must
// restore them.
func TestLosslessRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		object := map[string]any{"apiVersion": "e.g/new", "metadata": map[string]any{"name": "n"}, "spec": randomJSON(random, 4), "status": randomJSON(random, 3)}
		in, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		seed := random.Uint64()
		lossy := func(o *Object) error {
			r := rand.New(rand.NewPCG(seed, 0))
			damage(r, o.Value, "spec")
			damage(r, o.Value, "status")
			return nil
		}
		inventive := func(o *Object) error {
			o.SetString(Path{"spec2", "invented"}, "x")
			return nil
		}
		var r registry
		r.register("e.g/new", "e.g/old", Lossless(lossy, inventive))
		r.register("e.g/old", "e.g/new", Lossless(inventive, lossy))
		old, err := r.convert(nil, in, "e.g/old")
		if err != nil {
			t.Fatal(err)
		}
		var sorted any
		if err := json.Unmarshal(old, &sorted); err != nil {
			t.Fatal(err)
		}
		sent, _ := json.Marshal(sorted) // as an API server would
		again, err := r.convert(nil, sent, "e.g/new")
		if err != nil || !sameJSON(t, again, in) {
			t.Fatalf("%s\nbecame %s\nand came back as %s, %v", in, old, again, err)
		}
	}
}

// damage removes and changes values at key and below.
func damage(r *rand.Rand, v Value, key string) {
	value, ok := v.Get(key)
	if !ok {
		return
	}
	switch r.IntN(6) {
	case 0:
		v.Remove(key)
	case 1:
		v.SetString(Path{key}, "damaged")
	default:
		if value.Type() == TypeObject {
			var keys []string
			for name := range value.Members() {
				keys = append(keys, name)
			}
			slices.Sort(keys) // the same damage for every order of members
			for _, name := range keys {
				damage(r, value, name)
			}
		}
		if value.Type() == TypeArray {
			for _, e := range value.Elements() {
				if e.Type() == TypeObject {
					damage(r, e, "a")
				} else if r.IntN(8) == 0 {
					e.Remove()
				}
			}
		}
	}
}

func randomJSON(r *rand.Rand, depth int) any {
	kind := r.IntN(8)
	if depth == 0 {
		kind %= 3
	}
	switch kind {
	case 0:
		return []string{"", "text", "é\"/~"}[r.IntN(3)]
	case 1:
		return r.IntN(1000)
	case 2:
		return []any{true, nil, 1.5}[r.IntN(3)]
	case 3, 4:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = randomJSON(r, depth-1)
		}
		return list
	}
	object := map[string]any{}
	for _, key := range []string{"a", "b/c", "0", "é"} {
		if r.IntN(2) == 0 {
			object[key] = randomJSON(r, depth-1)
		}
	}
	return object
}

// sameJSON compares as an API server would: null members count as absent.
func sameJSON(t *testing.T, a, b []byte) bool {
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return reflect.DeepEqual(withoutNulls(x), withoutNulls(y))
}

func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if value == nil {
				delete(v, key)
			} else {
				v[key] = withoutNulls(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i])
		}
	}
	return v
}

// TestLosslessPanic tests that a panic of the conversion back is a crash of the module like any
// other: swallowing it would lose the values to keep.
func TestLosslessPanic(t *testing.T) {
	r := &registry{}
	r.register("g/v2", "g/v1", Lossless(func(*Object) error { return nil }, func(*Object) error { panic("no way back") }))
	_, crash, refusal := r.attempt(nil, []byte(`{"apiVersion":"g/v2","kind":"K","metadata":{"uid":"u"}}`), "g/v1")
	if refusal != nil || !strings.HasPrefix(string(crash), "panic: no way back at ") {
		t.Errorf("refusal %v, crash %q", refusal, crash)
	}
}
