package fuzz

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// measuredOld and measuredNew differ in three fields: old is renamed to new, size is an integer and
// becomes a text, and tls is in one version only.
const (
	measuredOld = `{type: object, properties: {spec: {type: object, properties: {old: {type: string}, size: {type: integer}, paused: {type: boolean}, a: {type: string}, b: {type: string}}}}}`
	measuredNew = `{type: object, properties: {spec: {type: object, properties: {new: {type: string}, size: {type: string}, paused: {type: boolean}, a: {type: string}, b: {type: string}, tls: {type: boolean}}}}}`
)

// specs changes the specs of objects, with annotations to keep values in.
func specs(change func(spec, kept map[string]any)) func(object map[string]any) error {
	const key = "conversion.example.com/kept"
	return func(object map[string]any) error {
		spec, _ := object["spec"].(map[string]any)
		if spec == nil || metadataOf(object) == nil {
			return nil
		}
		meta := metadataOf(object)
		annotations, _ := meta["annotations"].(map[string]any)
		if annotations == nil {
			annotations = map[string]any{}
		}
		kept := map[string]any{}
		if text, ok := annotations[key].(string); ok {
			_ = json.Unmarshal([]byte(text), &kept)
			delete(annotations, key)
		}
		change(spec, kept)
		if len(kept) > 0 {
			annotations[key] = string(encode(kept))
		}
		if meta["annotations"] = annotations; len(annotations) == 0 {
			delete(meta, "annotations")
		}
		return nil
	}
}

func put(object map[string]any, name string, value any, there bool) {
	if delete(object, name); there {
		object[name] = value
	}
}

func rename(from, to map[string]any, a, b string) {
	value, there := from[a]
	delete(from, a)
	put(to, b, value, there)
}

// right converts a spec of the new version to the old one, or back, without a mistake.
func right(newer bool) func(spec, kept map[string]any) {
	return func(spec, kept map[string]any) {
		size, there := spec["size"]
		if newer {
			rename(spec, spec, "old", "new")
			if there {
				spec["size"] = string(encode(size))
			}
			if _, still := kept["size"]; still && !there {
				rename(kept, spec, "size", "size")
			}
			rename(kept, spec, "tls", "tls")
			return
		}
		rename(spec, spec, "new", "old")
		rename(spec, kept, "tls", "tls")
		if text, ok := size.(string); ok {
			var n int64
			if json.Unmarshal([]byte(text), &n) != nil || string(encode(n)) != text {
				rename(spec, kept, "size", "size")
				return
			}
			spec["size"] = n
		}
	}
}

// TestMeasureChanges tests the line about converters of which each shows clients less than the right one.
func TestMeasureChanges(t *testing.T) {
	hide := func(names ...string) func(spec, kept map[string]any) {
		return func(spec, kept map[string]any) {
			for _, name := range names {
				if _, there := spec[name]; there {
					rename(spec, kept, name, name+"!")
				}
			}
		}
	}
	show := func(names ...string) func(spec, kept map[string]any) {
		return func(spec, kept map[string]any) {
			for _, name := range names {
				if _, there := kept[name+"!"]; there {
					rename(kept, spec, name+"!", name)
				}
			}
		}
	}
	swap := func(spec, _ map[string]any) {
		a, isA := spec["a"]
		b, isB := spec["b"]
		put(spec, "a", b, isB)
		put(spec, "b", a, isA)
	}
	invert := func(spec, _ map[string]any) {
		if v, ok := spec["paused"].(bool); ok {
			spec["paused"] = !v
		}
	}
	d := kindOf(t, "Thing", measuredOld, measuredNew)
	for _, tt := range []struct {
		name          string
		after, before func(spec, kept map[string]any) // on the way to v2, and first on the way back
		want          string
		asks          []string
	}{
		{name: "right", want: "carries 4 of 5 fields that differ; hidden: spec.tls; 100 % of v1's objects are valid at v2, 100 % of v2's at v1"},
		{name: "hides everything", after: hide("new", "size", "paused", "a", "b"), before: show("new", "size", "paused", "a", "b"), want: "carries 0 of 8 fields that differ; lost: spec.new, spec.size; hidden: spec.a, spec.b, spec.old, spec.paused, spec.size, spec.tls; 100 % of v1's objects are valid at v2, 100 % of v2's at v1",
			asks: []string{"v1 spec.a hidden", "v1 spec.b hidden", "v1 spec.old hidden", "v1 spec.paused hidden", "v1 spec.size hidden", "v2 spec.tls hidden"}},
		{name: "hides one field", after: hide("a"), before: show("a"), want: "carries 4 of 6 fields that differ; hidden: spec.a, spec.tls; 100 % of v1's objects are valid at v2, 100 % of v2's at v1",
			asks: []string{"v1 spec.a hidden"}},
		{name: "swaps two", after: swap, before: swap, want: "carries 4 of 9 fields that differ; unlike: spec.a, spec.b; hidden: spec.tls; 100 % of v1's objects are valid at v2, 100 % of v2's at v1",
			asks: []string{"v1 spec.a unlike", "v1 spec.b unlike", "v2 spec.a unlike", "v2 spec.b unlike"}},
		{name: "leaves out empty values", after: func(spec, _ map[string]any) {
			if spec["paused"] == false {
				delete(spec, "paused")
			}
		}, want: "carries 4 of 5 fields that differ; hidden: spec.tls; 100 % of v1's objects are valid at v2, 100 % of v2's at v1"},
		{name: "inverts a meaning", after: invert, before: invert, want: "carries 4 of 7 fields that differ; unlike: spec.paused; hidden: spec.tls; 100 % of v1's objects are valid at v2, 100 % of v2's at v1",
			asks: []string{"v1 spec.paused unlike", "v2 spec.paused unlike"}},
		{name: "shows but cannot set", after: func(spec, kept map[string]any) {
			if v, ok := spec["new"]; ok {
				kept["new!"] = v
			}
		}, before: func(spec, kept map[string]any) { rename(kept, spec, "new!", "new") }, want: "carries 2 of 5 fields that differ; lost: spec.new; seen: spec.old; hidden: spec.tls; 100 % of v1's objects are valid at v2, 100 % of v2's at v1",
			asks: []string{"v1 spec.old seen"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := inMemory{kind: "Thing"}
			there, back := right(true), right(false)
			m.there = specs(func(spec, kept map[string]any) {
				there(spec, kept)
				if tt.after != nil {
					tt.after(spec, kept)
				}
			})
			m.back = specs(func(spec, kept map[string]any) {
				if tt.before != nil {
					tt.before(spec, kept)
				}
				back(spec, kept)
			})
			report, err := Run(t.Context(), Config{CRD: d.CRD, Modules: []Module{m}, Seed: 1, Objects: 1, Measure: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(Lines(report.Measures), "\n"); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			var asks []string
			for _, f := range report.Findings {
				if f.Class == ClassHidden {
					asks = append(asks, f.From+" "+f.Path+" "+f.Property)
				}
			}
			if !slices.Equal(asks, tt.asks) {
				t.Errorf("asks %q, want %q", asks, tt.asks)
			}
		})
	}
}
