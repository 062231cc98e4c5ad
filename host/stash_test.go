package host

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

const stashAnnotation = "conversion.stable.example.com/stash"

// changed returns annotations in the other form, as strings; nil if they stay as they are.
func changed(t *testing.T, annotations map[string]string, spread bool) map[string]string {
	t.Helper()
	doc, err := json.Marshal(annotations)
	if err != nil {
		t.Fatal(err)
	}
	out, ok := changeStash([]byte("stable.example.com"), doc, spread)
	if !ok {
		return nil
	}
	var got map[string]string
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return got
}

// TestStashForms: an API server gets an annotation for each leaf, a module one for all, and what it
// wrote before. A leaf that is gone is gone from the stash.
func TestStashForms(t *testing.T) {
	leaf := func(name string) string { return stashAnnotation + "." + name }
	module := `{"v2":{"in":"v1","kept":[{"for":[],"hash":"82a2a958a9bece5b","set":{"/spec/tls":{"min":"1.2","ciphers":["a"],"o":{},"80":null},"/spec/users/0/roles":["x"],"/spec/a~1b":1.50},"gone":["/spec/z"]}]}}`
	tests := []struct {
		name           string
		module, server map[string]string
		without        string // the leaf that is removed
		left           string // of the stash for modules
	}{
		{"leaves of an object, a value in a list, an odd key", map[string]string{"b": "/stash", stashAnnotation: module}, map[string]string{
			"b":                     "/stash",
			stashAnnotation:         `{"v2":{"in":"v1","kept":[{"for":[],"hash":"82a2a958a9bece5b","parts":{"/spec/tls":{"min":0,"ciphers":0,"o":0,"80":0},"/spec/users/0/roles":[["x"]],"/spec/a~1b":0},"gone":["/spec/z"]}]}}`,
			leaf("v2.spec.tls.min"): `"1.2"`, leaf("v2.spec.tls.ciphers"): `["a"]`, leaf("v2.spec.tls.o"): `{}`, leaf("v2.spec.tls.80"): `null`,
			leaf("v2.spec.a-1b-ac0409ba"): `1.50`,
		}, leaf("v2.spec.tls.ciphers"), strings.Replace(module, `"ciphers":["a"],`, "", 1)},
		{"the last leaf of an object", map[string]string{stashAnnotation: `{"v2":{"in":"v1","kept":[{"set":{"/a":{"b":{"c":1}},"/d":2}}]}}`}, map[string]string{
			stashAnnotation: `{"v2":{"in":"v1","kept":[{"parts":{"/a":{"b":{"c":0}},"/d":0}}]}}`, leaf("v2.a.b.c"): `1`, leaf("v2.d"): `2`,
		}, leaf("v2.a.b.c"), `{"v2":{"in":"v1","kept":[{"set":{"/d":2}}]}}`},
		{"two layers", map[string]string{stashAnnotation: `{"v3":{"in":"v2","kept":[{"set":{"/a":1}}]},"v2":{"in":"v1","kept":[{"set":{"/a":2}}]}}`}, map[string]string{
			stashAnnotation: `{"v3":{"in":"v2","kept":[{"parts":{"/a":0}}]},"v2":{"in":"v1","kept":[{"parts":{"/a":0}}]}}`, leaf("v3.a"): `1`, leaf("v2.a"): `2`,
		}, leaf("v3.a"), `{"v3":{"in":"v2","kept":[{"set":{}}]},"v2":{"in":"v1","kept":[{"set":{"/a":2}}]}}`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			server := changed(t, tc.module, true)
			if !reflect.DeepEqual(server, tc.server) {
				t.Fatalf("an API server gets %q\nwant %q", server, tc.server)
			}
			if again := changed(t, server, true); again != nil {
				t.Errorf("the form changes again: %q", again)
			}
			if back := changed(t, server, false); !reflect.DeepEqual(back, tc.module) {
				t.Errorf("a module gets %q\nwant %q", back, tc.module)
			}
			delete(server, tc.without)
			if back := changed(t, server, false); back[stashAnnotation] != tc.left {
				t.Errorf("without %s a module gets %s\nwant %s", tc.without, back[stashAnnotation], tc.left)
			}
		})
	}
}

// TestStashKeepsItsForm: too many leaves, too many bytes, and text that is not a stash stay in one
// annotation. A leaf that is not JSON, or that the stash does not name, is left out.
func TestStashKeepsItsForm(t *testing.T) {
	set := func(n, size int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"/spec/m%d":"%s"`, i, strings.Repeat("x", size)))
		}
		return `{"v2":{"in":"v1","kept":[{"set":{` + strings.Join(all, ",") + `}}]}}`
	}
	for name, tc := range map[string]struct {
		text   string
		leaves int
	}{
		"as many as may be": {set(maxLeaves, 1), maxLeaves}, "too many": {set(maxLeaves+1, 1), 0}, "too large": {set(10, 26_300), 0}, "not too large": {set(10, 25_000), 10},
		"no JSON": {`{"v2":`, 0}, "no object": {`[{"kept":[{"set":{"/a":1}}]}]`, 0}, "no list": {`{"v2":{"kept":{"set":{"/a":1}}}}`, 0}, "no pointer": {`{"v2":{"kept":[{"set":{"a":1}}]}}`, 0},
		"empty": {`{}`, 0}, "two with one name": {`{"v2":{"kept":[{"set":{"/a":1}},{"set":{"/a":2}}]}}`, 0},
	} {
		if got := changed(t, map[string]string{stashAnnotation: tc.text}, true); len(got) != tc.leaves && len(got) != tc.leaves+1 {
			t.Errorf("%s: %d annotations, want %d leaves", name, len(got), tc.leaves)
		}
	}
	head := `{"v2":{"in":"v1","kept":[{"parts":{"/a":0,"/b":0,"/c":[]}},{"parts":{"/b":0}},7]}}`
	got := changed(t, map[string]string{stashAnnotation: head, stashAnnotation + ".v2.a": "1,2", stashAnnotation + ".v2.b": "3", stashAnnotation + ".v2.x": "4"}, false)
	if want := `{"v2":{"in":"v1","kept":[{"set":{"/b":3}},{"set":{}},7]}}`; len(got) != 1 || got[stashAnnotation] != want {
		t.Errorf("a module gets %q\nwant %s", got, want)
	}
	if got := changed(t, map[string]string{stashAnnotation + ".v2.x": "4", "b": "c"}, false); !reflect.DeepEqual(got, map[string]string{"b": "c"}) {
		t.Errorf("without a stash a module gets %q", got)
	}
}

// TestStashLeavesAreBoundedA17: long keys, deep objects and repeated names do not multiply the text.
func TestStashLeavesAreBoundedA17(t *testing.T) {
	long := strings.Repeat("k", 50_000)
	for name, annotations := range map[string]map[string]string{
		"a long key around many": {stashAnnotation: `{"v2":{"kept":[{"parts":{"/a":{"` + long + `":{` + many(5_000) + `}}}}]}}`, stashAnnotation + ".v2.a": `"` + long + `"`},
		"one leaf, many parcels": {stashAnnotation: `{"v2":{"kept":[` + strings.Repeat(`{"parts":{"/a":0}},`, 3_000) + `{}]}}`, stashAnnotation + ".v2.a": `"` + long + `"`},
		"deep":                   {stashAnnotation: `{"v2":{"kept":[{"parts":{"/a":` + strings.Repeat(`{"a":`, 900) + "0" + strings.Repeat("}", 900) + `}}]}}`, stashAnnotation + ".v2.a": `"` + long + `"`},
	} {
		size := 0
		for key, value := range annotations {
			size += len(key) + len(value)
		}
		got := changed(t, annotations, false)
		if n := len(got[stashAnnotation]); n == 0 || n > size {
			t.Errorf("%s: %d bytes become %d", name, size, n)
		}
		module := map[string]string{stashAnnotation: strings.ReplaceAll(annotations[stashAnnotation], `"parts"`, `"set"`)}
		if got := changed(t, module, true); len(got) > 2 {
			t.Errorf("%s: %d annotations", name, len(got))
		}
	}
}

// many returns n members.
func many(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"m%d":0`, i))
	}
	return strings.Join(all, ",")
}

// TestStashLeavesHaveNames: each pointer has a name that API servers accept, and its own.
func TestStashLeavesHaveNames(t *testing.T) {
	random, seen := rand.New(rand.NewPCG(3, 4)), map[string]string{}
	parts := []string{"spec", "a", "A", "~0", "~1", "é", "x.y", "_", "-", "0", "", "  ", strings.Repeat("long", 9)}
	for range 20_000 {
		pointer := ""
		for range 1 + random.IntN(4) {
			pointer += "/" + parts[random.IntN(len(parts))]
		}
		name := "stash." + nameOf("stash.", "v1", pointer)
		if errs := validation.IsQualifiedName("conversion.g/" + name); len(errs) > 0 {
			t.Fatalf("%q is named %q: %v", pointer, name, errs)
		}
		if other, ok := seen[name]; ok && other != pointer {
			t.Fatalf("%q and %q are both named %q", other, pointer, name)
		}
		seen[name] = pointer
	}
}

// TestStashInReviews: modules see one annotation and write one, API servers see one for each leaf: for
// whole objects and declared fields, in one hop and in two, from the cache and not.
func TestStashInReviews(t *testing.T) {
	const head, object = `{"v2":{"in":"v1","kept":[{"parts":{"/spec/a":0,"/spec/b":0}}]}}`, `{"v2":{"in":"v1","kept":[{"set":{"/spec/a":1,"/spec/b":2}}]}}`
	meta := func(annotations map[string]string) string {
		doc, _ := json.Marshal(annotations)
		return `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"n","resourceVersion":"7","annotations":` + string(doc) + `,"labels":{"l":"m"}},"spec":{}}`
	}
	server := map[string]string{"other": "x", stashAnnotation: head, stashAnnotation + ".v2.spec.a": "1", stashAnnotation + ".v2.spec.b": "2"}
	module := map[string]string{"other": "x", stashAnnotation: object}
	annotationsOf := func(object []byte) map[string]string {
		var o struct {
			Metadata struct{ Annotations map[string]string }
		}
		if err := json.Unmarshal(object, &o); err != nil {
			t.Fatalf("%v: %s", err, object)
		}
		return o.Metadata.Annotations
	}
	for _, fields := range [][]string{nil, {"metadata.annotations['" + stashAnnotation + "']", "spec.a"}} {
		for _, hops := range []string{"v1→v2", "v1→v3 v3→v2"} {
			for _, gets := range []string{"nothing", "a label"} {
				t.Run(fmt.Sprintf("declared %d, %s, the object gets %s", len(fields), hops, gets), func(t *testing.T) {
					var saw []map[string]string
					m := &funcModule{Paths: fields, One: func(_, to string, view []byte) ([]byte, string) {
						saw = append(saw, annotationsOf(view))
						answer := strings.Replace(string(view), `stable.example.com/v1"`, to+`"`, 1)
						answer = strings.Replace(answer, `stable.example.com/v3"`, to+`"`, 1)
						if gets == "a label" && fields == nil {
							answer = strings.Replace(answer, `"l":"m"`, `"l":"`+to[len(to)-2:]+`"`, 1)
						} else if gets == "a label" && strings.HasSuffix(to, "v2") {
							answer = strings.Replace(answer, `,\"/spec/b\":2`, `,\"/spec/b\":2,\"/spec/c\":3`, 1)
						}
						return []byte(answer), ""
					}}
					c := newConverter(ConverterConfig{Modules: Static(NewRoutes(edges(m, strings.Fields(hops)...))), Cache: NewCache(1 << 20)})
					want := server
					if gets == "a label" && fields != nil {
						want = map[string]string{"other": "x", stashAnnotation: strings.Replace(head, `,"/spec/b":0`, `,"/spec/b":0,"/spec/c":0`, 1), stashAnnotation + ".v2.spec.a": "1", stashAnnotation + ".v2.spec.b": "2", stashAnnotation + ".v2.spec.c": "3"}
					}
					for range 2 {
						a, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", meta(server)))
						if outcome.Message != "" || outcome.Restored != 0 {
							t.Fatalf("%+v", outcome)
						}
						if got := annotationsOf(a.Response.ConvertedObjects[0]); !reflect.DeepEqual(got, want) {
							t.Errorf("the API server gets %q\nwant %q", got, want)
						}
					}
					view := map[string]string{stashAnnotation: object}
					if fields == nil {
						view = module
					}
					if i := slices.IndexFunc(saw[:1], func(got map[string]string) bool { return !reflect.DeepEqual(got, view) }); i >= 0 {
						t.Errorf("the module sees %q\nwant %q", saw[i], view)
					}
					for _, got := range saw {
						if len(got) != len(view) {
							t.Errorf("a module sees %q", got)
						}
					}
				})
			}
		}
	}
}
