package fuzz

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

// fragmentsOf returns fragments of objects as server-side apply sends them: without metadata, with
// a name only, with objects that are empty, and with some of the fields.
func fragmentsOf(v *version, objects []*subject) (all []*subject) {
	seen := map[string]bool{}
	for i, o := range objects {
		add := func(value map[string]any) {
			text := encode(value)
			if !seen[string(text)] {
				seen[string(text)] = true
				all = append(all, &subject{value: value, text: text, n: o.n, whole: o.text})
			}
		}
		bare := runtime.DeepCopyJSON(o.value)
		delete(bare, "metadata")
		add(map[string]any{"apiVersion": v.APIVersion, "kind": v.Kind})
		add(map[string]any{"apiVersion": v.APIVersion, "kind": v.Kind, "metadata": map[string]any{"name": "fuzz"}})
		bones := skeleton(v.Schema, body(bare))
		bones["apiVersion"], bones["kind"] = v.APIVersion, v.Kind
		add(bones)
		for k, leaf := range shrink.Leaves(bare) {
			if (k+i)%2 == 0 && leaf[0] != "apiVersion" && leaf[0] != "kind" && !throughList(leaf) {
				shrink.Remove(bare, leaf)
			}
		}
		add(bare)
	}
	return all
}

// throughList reports whether a path leads through a list: fragments have whole elements, whose
// keys identify them.
func throughList(p shrink.Path) bool {
	return slices.ContainsFunc(p, func(step any) bool { _, is := step.(int); return is })
}

// skeleton returns an object with the objects that its schema names, without their values. The keys
// of maps are values.
func skeleton(s *schema.Structural, value map[string]any) map[string]any {
	object := map[string]any{}
	for key, child := range value {
		property, named := s.Properties[key]
		if members, ok := child.(map[string]any); ok && named {
			object[key] = skeleton(&property, members)
		}
	}
	return object
}

// fragments converts fragments there and back. Server-side apply takes fields that a conversion
// adds for the intent of the person who applies the fragment.
func (c *checker) fragments(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	answers, err := c.convert.convert(ctx, to.APIVersion, textsOf(objects))
	if err != nil {
		return nil, err
	}
	var texts [][]byte // on the way back
	var which []int
	for i, a := range answers {
		if a.failure != "" {
			if whole := objects[i].whole; whole != nil {
				answers, err := c.convert.convert(ctx, to.APIVersion, [][]byte{whole})
				if err != nil {
					return nil, err
				}
				if answers[0].failure != "" {
					continue // the fragment is not refused because a field is missing
				}
			}
			s := failed(a, "")
			s.property, s.path = Fragment, "."
			symptoms[i] = append(symptoms[i], s)
			continue
		}
		if value := body(objects[i].value); same(skeleton(from.Schema, value), value) {
			symptoms[i] = append(symptoms[i], invented(to, a)...)
		}
		if !from.back[to] {
			continue
		}
		texts, which = append(texts, a.text), append(which, i)
	}
	if len(texts) == 0 {
		return symptoms, nil
	}
	returned, err := c.convert.convert(ctx, from.APIVersion, texts)
	if err != nil {
		return nil, err
	}
	for j, a := range returned {
		i := which[j]
		if a.failure != "" {
			continue // the other direction reports it
		}
		value := a.value()
		if same(objects[i].value, value) {
			continue
		}
		from.Prune(value)
		for _, d := range differences(from.Schema, c.def.Group, objects[i].value, value) {
			if d.property == Added && !EmptyValue(d.is) {
				symptoms[i] = append(symptoms[i], symptom{key: d.general, property: Fragment, path: d.general, at: d.path, was: d.was, is: d.is, detail: "the fragment gains it on the way back"})
			}
		}
	}
	return symptoms, nil
}

// invented reports the values in the answer for a fragment without values.
func invented(to *version, a answer) (symptoms []symptom) {
	object := a.value()
	for _, leaf := range shrink.Leaves(object) {
		value := valueOf(object, leaf)
		if leaf[0] == "apiVersion" || leaf[0] == "kind" || leaf[0] == "metadata" || EmptyValue(value) {
			continue
		}
		path := generalPath(to.Schema, leaf)
		symptoms = append(symptoms, symptom{key: "invented " + path, property: Fragment, path: path, was: absent{}, is: value, detail: "the fragment gains it in " + to.Name})
	}
	return symptoms
}

// body returns the members of an object without its type and metadata.
func body(object map[string]any) map[string]any {
	members := maps.Clone(object)
	for _, key := range []string{"apiVersion", "kind", "metadata"} {
		delete(members, key)
	}
	return members
}
