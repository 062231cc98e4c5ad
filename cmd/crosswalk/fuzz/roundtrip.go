package fuzz

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// roundTrips converts stored objects to another version and back, as a client causes it that reads
// an object in the other version and writes it unchanged. The API server prunes each answer, and
// sets defaults before it stores an object; see package apiserver.
func (c *checker) roundTrips(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	return c.trips(ctx, from, to, objects, to.Validate)
}

// trips are round trips. validate decides about the answers on their way to the other version.
func (c *checker) trips(ctx context.Context, from, to *version, objects []*subject, validate func(context.Context, map[string]any) field.ErrorList) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	answers, err := c.convert.batch(ctx, to.APIVersion, objects)
	if err != nil {
		return nil, err
	}
	var back []trip
	for i, a := range answers {
		if a.failure != "" {
			symptoms[i] = append(symptoms[i], failed(a, ""))
			continue
		}
		if a.reverts {
			symptoms[i] = append(symptoms[i], symptom{key: "metadata", property: Violation, path: "metadata", was: absent{}, is: absent{},
				detail: "it changes metadata that no conversion may change; the gateway reverts the change"})
		}
		value := a.value()
		cut := to.Prune(value)
		symptoms[i] = append(symptoms[i], judged(to, cut, validate(ctx, value))...)
		if !from.back[to] {
			continue
		}
		back = append(back, trip{i, to.Name, encode(value), cut, ""})
		if !to.defaults {
			continue
		}
		before := membersOf(value)
		if to.Default(value); membersOf(value) != before {
			back = append(back, trip{i, to.Name, encode(value), cut, AfterDefaults + to.Name})
		}
	}
	return symptoms, c.comeBack(ctx, from, objects, back, symptoms)
}

// membersOf counts the members of all objects within a value, which defaults add to: also to an empty
// object, whose innermost values they do not make more.
func membersOf(value any) (n int) {
	switch v := value.(type) {
	case map[string]any:
		n = len(v)
		for _, child := range v {
			n += membersOf(child)
		}
	case []any:
		for _, child := range v {
			n += membersOf(child)
		}
	}
	return n
}

// trip is an object of the other version on its way back.
type trip struct {
	object int
	to     string // the other version
	text   []byte
	cut    []string // fields that the API server pruned
	detail string
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
		from.Default(value)
		for _, d := range differences(from.Schema, c.def.Group, objects[t.object].value, value) {
			add(explained(d, t))
		}
	}
	return nil
}

// explained returns a difference as a symptom. If the other version's schema has no such field, the
// outermost field that it cuts stands for all within.
func explained(d difference, t trip) symptom {
	s := d.symptom(d.general, t.detail)
	for _, cut := range t.cut {
		if d.property != Lost || !within(d.path, cut) {
			continue
		}
		if s.path = general(cut); within(s.path, d.general) {
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
