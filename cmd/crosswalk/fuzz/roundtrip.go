package fuzz

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// roundTrips converts stored objects to another version and back, as a client causes it that reads
// an object in the other version and writes it unchanged. The API server prunes each answer, and sets
// defaults when it decodes an object of a request or of etcd, and not after a conversion; see package apiserver.
func (c *checker) roundTrips(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	return c.trips(ctx, from, to, objects, to.Validate)
}

// trips are round trips. validate decides about the answers on their way to the other version.
func (c *checker) trips(ctx context.Context, from, to *version, objects []*subject, validate func(context.Context, map[string]any) field.ErrorList) ([][]symptom, error) {
	values, cuts, symptoms, err := c.there(ctx, to, objects, validate)
	if err != nil {
		return nil, err
	}
	var back []trip
	for i, value := range values {
		if value == nil || !from.back[to] {
			continue
		}
		back = append(back, trip{i, to.Name, encode(value), cuts[i], "", true})
		if !to.defaults {
			continue
		}
		before := shrink.Count(value)
		if to.Default(value); shrink.Count(value) != before {
			back[len(back)-1].decoded = false
			back = append(back, trip{i, to.Name, encode(value), cuts[i], AfterDefaults + to.Name, true})
		}
	}
	return symptoms, c.comeBack(ctx, from, objects, back, symptoms)
}

// there converts objects to another version, as a client causes it that reads them. It returns the answers
// as the API server prunes them, nil for a failure, the fields that it prunes, and what it rejects.
func (c *checker) there(ctx context.Context, to *version, objects []*subject, validate func(context.Context, map[string]any) field.ErrorList) (values []map[string]any, cuts [][]string, symptoms [][]symptom, err error) {
	answers, err := c.convert.batch(ctx, to.APIVersion, objects)
	values, cuts, symptoms = make([]map[string]any, len(objects)), make([][]string, len(objects)), make([][]symptom, len(objects))
	for i, a := range answers {
		if a.failure != "" {
			symptoms[i] = append(symptoms[i], failed(a, ""))
			continue
		}
		if a.reverts {
			symptoms[i] = append(symptoms[i], symptom{key: "metadata", property: Violation, path: "metadata", was: absent{}, is: absent{},
				detail: "it changes metadata that no conversion may change; the gateway reverts the change"})
		}
		values[i] = a.value()
		cuts[i] = to.Prune(values[i])
		symptoms[i] = append(symptoms[i], judged(to, cuts[i], validate(ctx, values[i]))...)
	}
	return values, cuts, symptoms, err
}

// judge finds answers that the other version's API server rejects, and objects without an answer.
func (c *checker) judge(ctx context.Context, _, to *version, objects []*subject) ([][]symptom, error) {
	_, _, symptoms, err := c.there(ctx, to, objects, to.Validate)
	return symptoms, err
}

// trip is an object of the other version on its way back.
type trip struct {
	object  int
	to      string // the other version
	text    []byte
	cut     []string // fields that the API server pruned
	detail  string
	decoded bool // it has the defaults of the other version, as an object of a request or of etcd has
}

// comeBack converts objects back and compares them with the first ones.
func (c *checker) comeBack(ctx context.Context, from *version, objects []*subject, back []trip, symptoms [][]symptom) error {
	if len(back) == 0 {
		return nil
	}
	texts := make([][]byte, len(back))
	for i, t := range back {
		texts[i] = t.text
	}
	answers, err := c.convert.convert(ctx, from.APIVersion, texts)
	if err != nil {
		return err
	}
	reported := map[string]bool{} // by object, property and path: the way without defaults is the first
	for i, a := range answers {
		t := back[i]
		add := func(s symptom) {
			id := fmt.Sprint(t.object, s.property, s.key)
			if reported[id] {
				return
			}
			reported[id] = true
			symptoms[t.object] = append(slices.DeleteFunc(symptoms[t.object], func(other symptom) bool {
				return other.property == Cut && s.cut == other.path // it says no more than that the value is lost
			}), s)
		}
		if a.failure != "" {
			add(failed(a, "on the way back"))
			continue
		}
		value := a.value()
		if same(objects[t.object].value, value) {
			continue
		}
		from.Prune(value)
		for _, d := range missingDefaults(from, objects[t.object].value, value) {
			if t.decoded {
				add(d.defaultMissing(from.Name, t.to))
			}
		}
		for _, d := range differences(from.Schema, c.def.Group, objects[t.object].value, value) {
			add(explained(d, t))
		}
	}
	return nil
}

// missingDefaults sets the defaults in an answer, and returns those that the object had before: the
// client of an API server does not get them.
func missingDefaults(v *version, was, answer map[string]any) []difference {
	if !v.defaults {
		v.Default(answer)
		return nil
	}
	is := runtime.DeepCopyJSON(answer)
	v.Default(answer)
	c := &comparer{}
	c.defaults("", "", v.Schema, false, was, answer, is)
	return c.found
}

// defaults adds a difference for each outermost value that was there before, and that only defaults
// bring back: is became set by them.
func (c *comparer) defaults(path, general string, s *schema.Structural, entry bool, was, set, is any) {
	switch at := set.(type) {
	case map[string]any:
		before, _ := was.(map[string]any)
		if now, ok := is.(map[string]any); ok {
			for _, key := range slices.Sorted(maps.Keys(at)) {
				child, generalChild := step(s, general, key)
				c.defaults(join(path, key), generalChild, child, !named(s, key), valueAt(before, key), at[key], valueAt(now, key))
			}
			return
		}
	case []any:
		before, _ := was.([]any)
		if now, ok := is.([]any); ok {
			items, inner := element(s, general)
			for i := range at {
				c.defaults(path+"["+strconv.Itoa(i)+"]", inner, items, true, elementAt(before, i), at[i], elementAt(now, i))
			}
			return
		}
	}
	if !same(set, is) && same(was, set) {
		c.add(Lost, path, general, entry, was, is)
	}
}

// defaultMissing returns a missing default as a symptom. An empty one is of ClassEmpty, as in other findings.
func (d *difference) defaultMissing(from, to string) symptom {
	s := d.symptom("default "+d.general, fmt.Sprintf("the default of %s: API servers set it when they decode, and not after a conversion. Let the conversion from %s set it; in rules {default: %s, in: %s, value: %s}", from, to, d.general, from, foreign.Shorten(encode(d.was), maxShown)))
	if s.class == ClassValue {
		s.class = ClassDefault
	}
	return s
}

// explained returns a difference as a symptom. If the other version's schema has no such field, the
// outermost field that it cuts stands for all within.
func explained(d difference, t trip) symptom {
	s := d.symptom(d.general, t.detail)
	for _, cut := range t.cut {
		if d.property != Lost || !Within(d.path, cut) {
			continue
		}
		if s.path = general(cut); Within(s.path, d.general) {
			s.path = d.general
		}
		s.key, s.cut = "cut "+s.path, s.path
		if s.hollow {
			s.key = emptyKey(s.key)
		}
		s.detail = t.to + " has no " + s.path + ": the API server cuts it"
	}
	return s
}
