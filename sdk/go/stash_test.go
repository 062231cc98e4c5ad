package crosswalk

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestPointer(t *testing.T) {
	for _, v := range readStashVectors(t).Pointer {
		if got := pointerOf(v.Keys); got != v.Pointer {
			t.Errorf("%q: got %q, want %q", v.Keys, got, v.Pointer)
		}
		keys := []string{}
		for rest := v.Pointer; rest != ""; {
			key, next, ok := cutToken(rest)
			if !ok {
				t.Fatalf("%q: no key in %q", v.Pointer, rest)
			}
			keys, rest = append(keys, key), next
		}
		if !slices.Equal(keys, v.Keys) {
			t.Errorf("%s: got %q, want %q", v.Pointer, keys, v.Keys)
		}
	}
}

func TestHashFor(t *testing.T) {
	for _, v := range readStashVectors(t).For {
		for _, h := range v.Hashes {
			var taken []byte
			if h.For != nil {
				taken = []byte{'['}
				for _, pointer := range h.For {
					taken = Quote(separated(taken), pointer)
				}
				taken = append(taken, ']')
			}
			o := Parse([]byte(v.JSON))
			sum, ok := o.doc.hashFor(taken)
			if got := string(appendHash(nil, sum)); got != h.Hash || !ok {
				t.Errorf("%s for %s: got %s, %v, want %s", v.JSON, taken, got, ok, h.Hash)
			}
		}
	}
}

func TestStashRefuses(t *testing.T) {
	tests := []struct {
		name, in, want string
		stash          func(o *Object)
	}{
		{"metadata", `{"apiVersion":"e.g/new","metadata":{"name":"n"}}`,
			".metadata.name cannot be stashed: only what is beside apiVersion, kind and metadata can",
			func(o *Object) { o.Stash("metadata", "name") }},
		{"the object", `{"apiVersion":"e.g/new"}`,
			"the object cannot be stashed: only what is beside apiVersion, kind and metadata can",
			func(o *Object) { o.Stash() }},
		{"an element", `{"apiVersion":"e.g/new","list":[1]}`,
			".list[0] cannot be stashed: it is an element of a list, which can be stashed as a whole",
			func(o *Object) {
				for _, e := range o.Elements("list") {
					e.Stash()
				}
			}},
		{"something on the way", `{"apiVersion":"e.g/new","spec":[]}`,
			".spec must be an object, but is an array",
			func(o *Object) { o.Stash("spec", "x") }},
		{"too much", `{"apiVersion":"e.g/new","metadata":{},"data":"` + strings.Repeat("x", maxStash-len(overhead)+1) + `"}`,
			"old cannot hold this object: what it has no place for needs 131073 bytes in the annotation conversion.e.g/stash, which may have 131072",
			func(o *Object) { o.StashFor(Path{"data"}) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var r registry
			r.register("e.g/new", "e.g/old", func(o *Object) error { test.stash(o); return nil })
			if got, err := r.convert(nil, []byte(test.in), "e.g/old"); err == nil || err.Error() != test.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, test.want)
			}
		})
	}
}

// overhead is the size of a stash of one string, without its characters.
const overhead = `{"new":{"in":"old","kept":[{"for":[],"hash":"82a2a958a9bece5b","set":{"/data":""}}]}}`

func TestStashAtTheLimit(t *testing.T) {
	var r registry
	r.register("e.g/new", "e.g/old", func(o *Object) error { o.StashFor(Path{"data"}); return nil })
	r.register("e.g/old", "e.g/new", func(o *Object) error { o.Restore(); return nil })
	text := `{"apiVersion":"e.g/new","metadata":{},"data":"` + strings.Repeat("x", maxStash-len(overhead)) + `"}`
	old, err := r.convert(nil, []byte(text), "e.g/old")
	if err != nil {
		t.Fatal(err)
	}
	if kept, _ := Parse(old).Annotation("conversion.e.g/stash"); len(kept) != maxStash {
		t.Errorf("the stash has %d bytes", len(kept))
	}
	if again, err := r.convert(nil, old, "e.g/new"); err != nil || string(again) != text {
		t.Errorf("got %.200s, %v", again, err)
	}
}

// The way there and back is remembered by one object's stash alone: the next object of the batch
// starts afresh.
func TestStashIsForOneObject(t *testing.T) {
	var r registry
	r.register("e.g/new", "e.g/old", func(o *Object) error { o.Stash("data"); return nil })
	for i := range 3 {
		name := strconv.Itoa(i)
		got, err := r.convert(nil, []byte(`{"apiVersion":"e.g/new","metadata":{},"data":`+name+`}`), "e.g/old")
		if err != nil || strings.Count(string(got), `/data`) != 1 || !strings.Contains(string(got), `{\"/data\":`+name+`}`) {
			t.Errorf("object %d: %s, %v", i, got, err)
		}
	}
	if got, err := r.convert(nil, []byte(`{"apiVersion":"e.g/new","metadata":{}}`), "e.g/old"); err != nil || string(got) != `{"apiVersion":"e.g/old","metadata":{}}` {
		t.Errorf("got %s, %v", got, err)
	}
}
