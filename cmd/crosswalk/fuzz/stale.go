package fuzz

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// stale converts objects to another version, directly and by way of every third one, changes them
// there, and converts them to each version and back: the change must survive the values that
// annotations keep. Objects without such annotations are round trips like others.
func (f *fuzzer) stale(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	answers, err := f.convert.batch(ctx, to.APIVersion, objects)
	if err != nil {
		return nil, err
	}
	if err := f.changeAndReturn(ctx, to, objects, answers); err != nil {
		return nil, err
	}
	for _, over := range from.targets {
		if over == to || !slices.Contains(over.targets, to) {
			continue
		}
		there, which, err := f.onward(ctx, over, objects)
		if err != nil {
			return nil, err
		}
		if len(there) == 0 {
			continue
		}
		answers, err := f.convert.convert(ctx, to.APIVersion, there)
		if err != nil {
			return nil, err
		}
		passed := make([]*subject, len(which))
		for j, i := range which {
			passed[j] = objects[i]
		}
		if err := f.changeAndReturn(ctx, to, passed, answers); err != nil {
			return nil, err
		}
	}
	return symptoms, nil
}

// onward converts objects to a version, and returns those that it could convert as the API server
// passes them on: pruned. which has their indices.
func (f *fuzzer) onward(ctx context.Context, to *version, objects []*subject) (texts [][]byte, which []int, err error) {
	answers, err := f.convert.convert(ctx, to.APIVersion, textsOf(objects)) // not batch, whose last answers are of use to the next check
	if err != nil {
		return nil, nil, err
	}
	for i, a := range answers {
		if a.failure == "" {
			value := a.value()
			to.Prune(value)
			texts, which = append(texts, encode(value)), append(which, i)
		}
	}
	return texts, which, nil
}

// changeAndReturn changes the answers of a conversion to a version in which annotations keep
// values, and tests them on round trips to every other version.
func (f *fuzzer) changeAndReturn(ctx context.Context, at *version, objects []*subject, answers []answer) error {
	var changed []*subject
	for i, a := range answers {
		if a.failure != "" {
			continue
		}
		value := a.value()
		if !f.keeps(objects[i].value, value) {
			continue
		}
		if other := f.changed(ctx, at, value, objects[i].n); other != nil {
			changed = append(changed, &subject{value: other, text: encode(other), n: objects[i].n})
		}
	}
	for _, other := range at.targets {
		if err := f.check(ctx, check{true, f.staleTrips}, at, other, changed); err != nil {
			return err
		}
	}
	return nil
}

// changed returns an object as a client changes it: valid, and stored. It may change value. n
// selects the change. It returns nil if it finds none.
func (f *fuzzer) changed(ctx context.Context, v *version, value map[string]any, n int) map[string]any {
	v.Store(value)
	other := v.generator.Change(ctx, value, uint64(n))
	if other == nil || len(v.ValidateMeta(other)) > 0 {
		return nil
	}
	return other
}

// hiddenChanges is how many changes of a smaller object are tried.
const hiddenChanges = 16

// hidden converts objects to another version, changes them there, and converts them back: the
// change must show, unless it does not show without the values that annotations keep either. This
// finds values that two versions keep for themselves, each from the other: on round trips they
// survive.
func (f *fuzzer) hidden(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	if !from.back[to] {
		return symptoms, nil
	}
	answers, err := f.convert.batch(ctx, to.APIVersion, objects)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	var texts [][]byte
	for i, a := range answers {
		if a.failure != "" || !f.keeps(objects[i].value, a.value()) {
			continue
		}
		first, last := objects[i].n, objects[i].n
		if first == 0 { // it is a smaller one, whose values are at other places
			first, last = 1, hiddenChanges
		}
		for n := first; n <= last; n++ {
			before := a.value()
			if after := f.changed(ctx, to, before, n); after != nil {
				pairs = append(pairs, pair{i, before, after})
				texts = append(texts, encode(before), encode(after), encode(f.plain(before)), encode(f.plain(after)))
			}
		}
	}
	if len(pairs) == 0 {
		return symptoms, nil
	}
	back, err := f.convert.convert(ctx, from.APIVersion, texts)
	if err != nil {
		return nil, err
	}
	for j, p := range pairs {
		if s, ok := f.hides(from, to, p, back[4*j:4*j+4]); ok {
			symptoms[p.object] = append(symptoms[p.object], s)
		}
	}
	return symptoms, nil
}

// pair is an object before and after a client's change.
type pair struct {
	object        int
	before, after map[string]any
}

// hides compares the answers for a pair, with the values that annotations keep and without.
func (f *fuzzer) hides(from, to *version, p pair, back []answer) (s symptom, ok bool) {
	for _, a := range back {
		if a.failure != "" {
			return s, false
		}
	}
	differ := func(was, is *answer) bool {
		a, b := was.value(), is.value()
		from.Prune(a)
		from.Prune(b)
		return len(differences(from.Schema, f.def.Group, f.plain(a), f.plain(b))) > 0
	}
	if differ(&back[0], &back[1]) || !differ(&back[2], &back[3]) {
		return s, false
	}
	for _, d := range differences(to.Schema, f.def.Group, p.before, p.after) {
		if emptyValue(d.was) || emptyValue(d.is) {
			continue // an object that has lost all its fields to another version, for example
		}
		return symptom{key: "hidden " + d.general, property: Stale, class: ClassValue, path: d.general, at: d.path, was: d.was, is: d.is,
			detail: "changed in " + to.Name + ", and values that an annotation keeps hide the change in " + from.Name}, true
	}
	return s, false
}

// keeps reports whether a conversion keeps values in an annotation of its answer.
func (f *fuzzer) keeps(object, answer map[string]any) bool {
	before, after := annotationsOf(object), annotationsOf(answer)
	for key, value := range after {
		text, _ := value.(string)
		if before[key] != value && (isOwn(f.def.Group, key) || before[key] == nil && isObject(text)) {
			return true
		}
	}
	return false
}

// hasOwn reports whether an object has annotations of a converter.
func (f *fuzzer) hasOwn(object map[string]any) bool {
	for key := range annotationsOf(object) {
		if isOwn(f.def.Group, key) {
			return true
		}
	}
	return false
}

func annotationsOf(object map[string]any) map[string]any {
	meta, _ := object["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	return annotations
}

// plain returns a copy of an object without the annotations in which converters keep values.
func (f *fuzzer) plain(object map[string]any) map[string]any {
	plain := runtime.DeepCopyJSON(object)
	for key, value := range annotationsOf(plain) {
		if text, _ := value.(string); isOwn(f.def.Group, key) || isObject(text) {
			delete(annotationsOf(plain), key)
		}
	}
	return plain
}

// staleTrips are round trips whose differences do not occur without the values that annotations
// keep.
func (f *fuzzer) staleTrips(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	unjudged := func(context.Context, map[string]any) field.ErrorList { return nil }
	with, err := f.trips(ctx, from, to, objects, unjudged)
	if err != nil {
		return nil, err
	}
	for i, list := range with {
		kept := slices.DeleteFunc(list, func(s symptom) bool {
			return !slices.Contains([]string{Lost, Changed, Added, Reordered}, s.property) || s.property == Added && emptyValue(s.is)
		})
		if len(kept) > 0 {
			plain := f.plain(objects[i].value)
			without, err := f.trips(ctx, from, to, []*subject{{value: plain, text: encode(plain)}}, unjudged)
			if err != nil {
				return nil, err
			}
			kept = slices.DeleteFunc(kept, func(s symptom) bool {
				return slices.ContainsFunc(without[0], func(other symptom) bool { return s.key == other.key && s.property == other.property })
			})
		}
		for j := range kept {
			kept[j].detail = kept[j].property + " because of values that an annotation keeps"
			kept[j].property, kept[j].class = Stale, ClassValue // the edit is lost, even if it empties a field
		}
		with[i] = kept
	}
	return with, nil
}
