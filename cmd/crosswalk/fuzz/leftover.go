package fuzz

import (
	"cmp"
	"context"
)

// leftovers tests objects that carry the annotations of their own conversion to another version, as
// if a client had exported them there and changed apiVersion by hand: the values in the annotations
// are not in the objects, and a round trip must not bring them back.
func (c *checker) leftovers(ctx context.Context, from, to *version, object, answer map[string]any) (symptoms []symptom, err error) {
	if !c.stash().filled(object, answer) {
		return nil, nil
	}
	plain, err := c.by(ctx, c.stash().without(answer), from) // it lacks the kept values
	without, err1 := c.by(ctx, plain, to, from)
	for key, text := range annotationsOf(answer) {
		if meta := metadataIn(plain); meta != nil && c.stash().owns(key) {
			if annotationsOf(plain) == nil {
				meta["annotations"] = map[string]any{}
			}
			annotationsOf(plain)[key] = text
		}
	}
	with, err2 := c.by(ctx, plain, to, from)
	if err := cmp.Or(err, err1, err2); err != nil || without == nil || with == nil {
		return nil, err
	}
	for _, d := range differences(from.Schema, c.def.Group, c.stash().without(without), c.stash().without(with)) {
		s := d.symptom(d.general, d.property+" because of an annotation that was left over from a conversion to "+to.Name)
		s.property, s.class = Stale, ClassValue
		symptoms = append(symptoms, s)
	}
	return symptoms, nil
}

// answered is a check of each object with its answer, if both convert and a conversion leads back.
func (c *checker) answered(one func(ctx context.Context, from, to *version, object, answer map[string]any) ([]symptom, error)) check {
	return check{stored: true, run: func(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
		symptoms := make([][]symptom, len(objects))
		answers, err := c.convert.batch(ctx, to.APIVersion, objects)
		for i, a := range answers {
			if err == nil && from.back[to] && a.failure == "" {
				symptoms[i], err = one(ctx, from, to, objects[i].value, a.value())
			}
		}
		return symptoms, err
	}}
}

// repeated converts objects there and back, and twice more: no annotation may grow with each trip, not
// even one in which the converter keeps values, which no other check compares.
func (c *checker) repeated(ctx context.Context, from, to *version, object, answer map[string]any) (symptoms []symptom, err error) {
	if same(annotationsOf(object), annotationsOf(answer)) {
		return nil, nil
	}
	once, err := c.by(ctx, answer, from)
	more, err1 := c.by(ctx, once, to, from, to, from)
	if err := cmp.Or(err, err1); err != nil || once == nil || more == nil {
		return nil, err
	}
	compared := &comparer{}
	compared.texts("annotations", metadataIn(once), metadataIn(more), func(string, string, bool) bool { return false })
	for _, d := range compared.found {
		symptoms = append(symptoms, d.symptom("again "+d.path, "each way to "+to.Name+" and back changes it"))
	}
	return symptoms, nil
}

// by converts an object to one version after the other. It returns nil if it fails.
func (c *checker) by(ctx context.Context, object map[string]any, versions ...*version) (map[string]any, error) {
	for _, v := range versions {
		if object == nil {
			break
		}
		answers, err := c.convert.convert(ctx, v.APIVersion, [][]byte{encode(object)})
		if err != nil {
			return nil, err
		}
		object = answers[0].value()
	}
	return object, nil
}
