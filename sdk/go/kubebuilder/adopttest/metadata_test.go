package adopttest

import (
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"
)

// loose is an object whose metadata may be anything.
type loose struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata,omitempty"`
}

// set returns a change that sets or, with nil, deletes a member of the metadata, or of its labels or
// annotations: "labels/app".
func set(path string, value any) func(*loose) {
	return func(o *loose) {
		m, name := o.Metadata, path
		if part, key, ok := strings.Cut(path, "/"); ok {
			inner := maps.Clone(m[part].(map[string]any))
			m[part], m, name = inner, inner, key
		}
		if m[name] = value; value == nil {
			delete(m, name)
		}
	}
}

// TestMistakesWithMetadata asserts that a comparison notices each mistake of the operator's code or of
// the module in metadata, by the rules of API servers, and no change that they revert.
func TestMistakesWithMetadata(t *testing.T) {
	text := `{"apiVersion":"example.com/v1","kind":"Demo","metadata":{"name":"a","namespace":"b","uid":"c","generation":7,
"labels":{"app":"x","old":"v"},"annotations":{"example.com/Note":"y","kept":"z"},"finalizers":["f"],"creationTimestamp":"2024-05-06T07:08:09Z"}}`
	forms := map[string]any{"one": "a", "two": "b"}
	changes := map[string]func(*loose){ // that API servers refuse, or that clients see
		"no metadata":                  func(o *loose) { o.Metadata = nil },
		"other kind":                   func(o *loose) { o.Kind = "Other" },
		"no kind":                      func(o *loose) { o.Kind = "" },
		"other version":                func(o *loose) { o.APIVersion = "example.com/v1" },
		"other group":                  func(o *loose) { o.APIVersion = "example.org/v2" },
		"other name":                   set("name", "other"),
		"no name":                      set("name", nil),
		"name that is a number":        set("name", 7),
		"other namespace":              set("namespace", "other"),
		"no namespace":                 set("namespace", nil),
		"other uid":                    set("uid", "other"),
		"no uid":                       set("uid", nil),
		"no labels":                    set("labels", nil),
		"empty labels":                 set("labels", map[string]any{}),
		"other labels":                 set("labels", forms),
		"labels that are a list":       set("labels", []any{"app"}),
		"label more":                   set("labels/more", "z"),
		"label less":                   set("labels/app", nil),
		"label of another value":       set("labels/app", "y"),
		"label with an empty value":    set("labels/app", ""),
		"label that is a number":       set("labels/app", 7),
		"label with a space":           set("labels/app", "a b"),
		"label that is too long":       set("labels/app", strings.Repeat("a", 64)),
		"label without a key":          set("labels/", "a"),
		"label with two slashes":       set("labels/a/b/c", "a"),
		"label with a long key":        set("labels/"+strings.Repeat("a", 64), "a"),
		"label with capital prefix":    set("labels/Example.com/a", "a"),
		"no annotations":               set("annotations", nil),
		"other annotations":            set("annotations", forms),
		"annotations that are a text":  set("annotations", "kept"),
		"annotation of a capital":      set("annotations/Example.com/a", "z"),
		"annotation more":              set("annotations/more", "z"),
		"annotation less":              set("annotations/kept", nil),
		"annotation of another value":  set("annotations/kept", "{}"),
		"annotation that is an object": set("annotations/kept", forms),
		"annotation without a key":     set("annotations/", "a"),
		"annotation with a space":      set("annotations/a b", "a"),
		"annotations too large":        set("annotations/kept", strings.Repeat("a", maxAnnotations)),
		"labels for annotations": func(o *loose) {
			o.Metadata["labels"], o.Metadata["annotations"] = o.Metadata["annotations"], o.Metadata["labels"]
		},
	}
	reverted := map[string]func(*loose){
		"none":                set("other", nil),
		"no generation":       set("generation", nil),
		"other finalizers":    set("finalizers", []any{"g"}),
		"no creation":         set("creationTimestamp", nil),
		"owners":              set("ownerReferences", []any{forms}),
		"version of resource": set("resourceVersion", "1"),
	}
	// answers returns the operator's result with a change, and the module's with another.
	answers := func(native, module func(*loose)) *Difference {
		c := comparison{kind: Kind{Name: "Demo", TypeMeta: true}, largest: math.Inf(1)}
		c.from = Version{apiVersion: "example.com/v1", of: reflect.TypeFor[loose]()}
		c.to = Version{apiVersion: "example.com/v2", of: c.from.of, from: func(spoke, hub any) error {
			*spoke.(*loose) = *hub.(*loose)
			spoke.(*loose).APIVersion = "example.com/v2"
			native(spoke.(*loose))
			return nil
		}}
		c.kind.Hub = c.from
		o, err := c.native([]byte(text))
		if err != nil {
			return &Difference{Want: err.Error()}
		}
		v, err := decodeObject([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		right := loose{APIVersion: "example.com/v2", Kind: "Demo", Metadata: v["metadata"].(map[string]any)}
		module(&right)
		d, _ := c.compare(o, answer{text: encode(right)})
		return d
	}
	valid := map[string]bool{} // those that API servers take
	for _, name := range []string{
		"no labels", "empty labels", "other labels", "label more", "label less", "label of another value", "label with an empty value", "no annotations",
		"other annotations", "annotation more", "annotation less", "annotation of another value", "labels for annotations", "annotation of a capital",
	} {
		valid[name] = true
	}
	none := reverted["none"]
	for name, change := range changes {
		if d := answers(change, none); d == nil {
			t.Errorf("%s in the operator's result is not noticed", name)
		}
		if d := answers(none, change); d == nil && (strings.Contains(name, "label") || strings.Contains(name, "annotation")) {
			t.Errorf("%s in the module's result is not noticed", name)
		}
		if d := answers(change, change); (d == nil) != valid[name] {
			t.Errorf("%s in both results: the difference is %+v, but API servers take it: %v", name, d, valid[name])
		}
	}
	text = strings.Replace(text, `"old":"v"`, `"old":"not valid any more"`, 1)
	if less := changes["label less"]; answers(less, less) == nil {
		t.Error("with one label less, API servers refuse the label that is not valid any more, and this is not noticed")
	}
	for name, change := range reverted {
		if d := answers(change, none); d != nil {
			t.Errorf("%s is a difference, but API servers revert it: %+v", name, d)
		}
	}
}
