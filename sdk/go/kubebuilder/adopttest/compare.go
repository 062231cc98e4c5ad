package adopttest

import (
	"encoding/json"
	"reflect"
	"strings"
)

// moreRuns is how often the operator's code converts an object again until a result is the module's.
// Go takes two elements of a map in one order seven times of eight: of 200 runs, all are the same
// once in 300,000 million times.
const moreRuns = 200

// maxRepeated is how many objects that differ are converted again for a module. When so many differ,
// the module is not equal, and of others the order of lists does not count.
const maxRepeated = 5

// compare compares a module's answer with the results of the operator's code. unstable is the path
// at which these differ from each other.
func (c *comparison) compare(o object, a answer) (d *Difference, unstable string) {
	if len(o.wants) > 1 {
		unstable = place(firstDifference(o.wants[0], o.wants[1], "").Path)
	}
	whole := func(module, want string) *Difference {
		return &Difference{Module: shorten(module, 1000), Want: shorten(want, 1000), Object: string(o.text)}
	}
	if a.refusal != "" {
		if want := compareRefusal(o, a.refusal); want != "" {
			return whole("refused: "+a.refusal, want), unstable
		}
		return nil, unstable
	}
	if len(o.wants) == 0 {
		if strings.HasPrefix(o.refusal, decoding) && c.wrongInOpaqueOnly(o.text) {
			return nil, unstable // such text passes, as docs/author/adopt.md says
		}
		return whole(string(a.text), "refused: "+o.refusal), unstable
	}
	raw, err := decodeObject(a.text)
	if err != nil {
		return whole(string(a.text), shown(o.wants[0])), unstable
	}
	if version := raw["apiVersion"]; version != c.to.apiVersion {
		return &Difference{Path: "apiVersion", Module: shown(version), Want: shown(c.to.apiVersion), Object: string(o.text)}, unstable
	}
	got, err := c.normal(a.text, len(c.kind.Opaque) > 0 || o.fragment)
	if err != nil {
		return whole("the types do not take the result: "+err.Error()+": "+string(a.text), shown(o.wants[0])), unstable
	}
	same := func(got, want any) bool { return reflect.DeepEqual(got, want) }
	if o.fragment {
		nothing := c.nothing(o.text)
		same = func(got, want any) bool { return equalBut(got, want, nothing) }
	}
	for tries := 0; ; tries++ {
		for _, want := range o.wants {
			if same(got, want) {
				return nil, unstable
			}
		}
		if c.repeated >= maxRepeated || tries >= moreRuns || c.again(&o) != nil {
			break
		}
	}
	want := o.wants[0]
	if len(o.wants) > 1 {
		unstable = place(firstDifference(o.wants[0], o.wants[1], "").Path)
	}
	if len(o.wants) > 1 || c.repeated >= maxRepeated { // there may be more orders than runs
		if got, want = unordered(got), unordered(want); same(got, want) {
			return nil, unstable
		}
	}
	c.repeated++
	d = firstDifference(got, want, "")
	d.Object = string(o.text)
	if o.fragment {
		d.Object = "the fragment " + d.Object
	}
	return d, unstable
}

// nothing returns the result of the operator's code for an object with nothing but a fragment's
// metadata: of a fragment's result, the members that are alike there may be missing, except for the
// fragment's own labels and annotations. It is nil if the operator's code refuses such an object; only
// empty members may be missing then.
func (c *comparison) nothing(fragment []byte) any {
	whole, err := decodeObject(fragment)
	if err != nil {
		return nil
	}
	bare := object{text: encode(map[string]any{"apiVersion": whole["apiVersion"], "kind": whole["kind"], "metadata": whole["metadata"]}), fragment: true}
	if err := c.again(&bare); err != nil || len(bare.wants) == 0 {
		return nil
	}
	metadata, _ := whole["metadata"].(map[string]any)
	result, _ := bare.wants[0].(map[string]any)
	for _, name := range []string{"labels", "annotations"} {
		own, _ := metadata[name].(map[string]any)
		there, _ := result["metadata."+name].(map[string]any)
		for key, value := range own {
			if there[key] == value {
				there[key] = struct{}{} // like no value of a result
			}
		}
	}
	return result
}

// equalBut reports whether got is want, but for members that are as in nothing, or empty if nothing
// is nil.
func equalBut(got, want, nothing any) bool {
	g, ok := got.(map[string]any)
	w, both := want.(map[string]any)
	if !ok || !both {
		return reflect.DeepEqual(got, want) || unasked(want, nothing)
	}
	n, _ := nothing.(map[string]any)
	for name := range g {
		if _, ok := w[name]; !ok {
			return false
		}
	}
	for name, member := range w {
		there, ok := g[name]
		var inside any
		if nothing != nil {
			inside = n[name]
		}
		if !ok && !unasked(member, inside) || ok && !equalBut(there, member, inside) {
			return false
		}
	}
	return true
}

// unasked reports whether the types write a value for an object that does not have it.
func unasked(v, nothing any) bool {
	if nothing != nil {
		return reflect.DeepEqual(v, nothing)
	}
	return empty(v)
}

// empty reports whether a decoded value is one that types write for their zero value.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == "" || v == "0s" || v == "0"
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, inner := range v {
			if !empty(inner) {
				return false
			}
		}
		return true
	}
	return false
}
