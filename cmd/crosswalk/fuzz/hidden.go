package fuzz

import (
	"context"
	"slices"
)

// hidden converts objects to another version, changes them there, and converts them back: the
// change must show, unless it does not show without the values that annotations keep either. This
// finds values that two versions keep for themselves, each from the other: on round trips they
// survive.
func (c *checker) hidden(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	if !from.back[to] {
		return symptoms, nil
	}
	answers, err := c.convert.batch(ctx, to.APIVersion, objects)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	var texts [][]byte
	for i, a := range answers {
		if a.failure != "" || !c.stash().filled(objects[i].value, a.value()) {
			continue
		}
		first, last := objects[i].n, objects[i].n
		if first == 0 { // it is a smaller one, whose values are at other places
			first, last = 1, hiddenChanges
		}
		for n := first; n <= last; n++ {
			before := a.value()
			if after := changed(ctx, to, before, n); after != nil {
				pairs = append(pairs, pair{i, before, after})
				texts = append(texts, encode(before), encode(after), encode(c.stash().without(before)), encode(c.stash().without(after)))
			}
		}
	}
	if len(pairs) == 0 {
		return symptoms, nil
	}
	back, err := c.convert.convert(ctx, from.APIVersion, texts)
	if err != nil {
		return nil, err
	}
	for j, p := range pairs {
		if s, ok := c.hides(from, to, p, back[4*j:4*j+4]); ok {
			symptoms[p.object] = append(symptoms[p.object], s)
		}
	}
	return symptoms, nil
}

// hiddenChanges is how many changes of a smaller object are tried.
const hiddenChanges = 16

// pair is an object before and after a client's change.
type pair struct {
	object        int
	before, after map[string]any
}

// hides compares the answers for a pair, with the values that annotations keep and without: before,
// after, before without, after without. An object after the change that has, where the change shows
// without kept values, the same values with them, hides nothing, even if the one before became the
// same because of them.
func (c *checker) hides(from, to *version, p pair, back []answer) (s symptom, ok bool) {
	for _, a := range back {
		if a.failure != "" {
			return s, false
		}
	}
	differ := func(was, is *answer) []difference {
		a, b := was.value(), is.value()
		from.Prune(a)
		from.Prune(b)
		return differences(from.Schema, c.def.Group, c.stash().without(a), c.stash().without(b))
	}
	shown := differ(&back[2], &back[3])
	if len(differ(&back[0], &back[1])) > 0 || len(shown) == 0 {
		return s, false
	}
	kept := slices.DeleteFunc(differ(&back[3], &back[1]), func(k difference) bool { // a kept value elsewhere has nothing to do with it
		return !slices.ContainsFunc(shown, func(d difference) bool { return Around(k.path, d.path) })
	})
	if len(kept) == 0 {
		return s, false
	}
	for _, d := range differences(to.Schema, c.def.Group, p.before, p.after) {
		if EmptyValue(d.was) || EmptyValue(d.is) {
			continue // an object that has lost all its fields to another version, for example
		}
		s := symptom{key: "hidden " + d.general, property: Stale, class: ClassValue, path: d.general, at: d.path, was: d.was, is: d.is,
			detail: "changed in " + to.Name + ", and values that an annotation keeps hide the change in " + from.Name}
		if around := removedAround(p, d, to); around != "" && !slices.ContainsFunc(kept, func(k difference) bool { return k.property != Added }) {
			s.path, s.detail = around, Added+" again in "+from.Name+" because of values that an annotation keeps"
		}
		return s, true
	}
	return s, false
}

// removedAround returns the path, as a report shows it, of the outermost object around a lost value that
// the change removed as a whole; "" if the value alone is gone.
func removedAround(p pair, d difference, v *version) string {
	leaf := leafAt(p.before, d.path)
	for n := 1; n < len(leaf); n++ {
		switch _, element := leaf[n-1].(int); {
		case valueOf(p.after, leaf[:n]) != nil:
		case element:
			return "" // of the elements, others may be in its place
		default:
			return generalPath(v.Schema, leaf[:n])
		}
	}
	return ""
}
