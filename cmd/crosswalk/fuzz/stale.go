package fuzz

import (
	"context"
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// edits converts objects to another version, directly and by way of every third one, and changes
// them there: the change must survive the values that annotations keep, see staleTrips. Objects
// without such annotations are left out, because their round trips are like those of others.
func (c *checker) edits(ctx context.Context, from, to *version, objects []*subject) iter.Seq2[[]*subject, error] {
	return func(yield func([]*subject, error) bool) {
		answers, err := c.convert.batch(ctx, to.APIVersion, objects)
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(c.edited(ctx, to, objects, answers), nil) {
			return
		}
		for _, over := range from.targets {
			if over == to || !slices.Contains(over.targets, to) {
				continue
			}
			passed, answers, err := c.byWayOf(ctx, over, to, objects)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(c.edited(ctx, to, passed, answers), nil) {
				return
			}
		}
	}
}

// edited changes the answers of a conversion to a version in which annotations keep values.
func (c *checker) edited(ctx context.Context, at *version, objects []*subject, answers []answer) (edited []*subject) {
	for i, a := range answers {
		if a.failure != "" {
			continue
		}
		value := a.value()
		if !c.stash().filled(objects[i].value, value) {
			continue
		}
		if other := changed(ctx, at, value, objects[i].n); other != nil {
			edited = append(edited, &subject{value: other, text: encode(other), n: objects[i].n})
		}
	}
	return edited
}

// changed returns an object as a client changes it: valid, and stored. It may change value. n
// selects the change. It returns nil if it finds none.
func changed(ctx context.Context, v *version, value map[string]any, n int) map[string]any {
	v.Store(value)
	other := v.generator.Change(ctx, value, uint64(n))
	if other == nil || len(v.ValidateMeta(other)) > 0 {
		return nil
	}
	return other
}

// staleTrips are round trips whose differences do not occur without the values that annotations
// keep.
func (c *checker) staleTrips(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	unjudged := func(context.Context, map[string]any) field.ErrorList { return nil }
	with, err := c.trips(ctx, from, to, objects, unjudged)
	if err != nil {
		return nil, err
	}
	for i, list := range with {
		kept := slices.DeleteFunc(list, func(s symptom) bool {
			return !slices.Contains([]string{Lost, Changed, Added, Reordered}, s.property) || s.property == Added && EmptyValue(s.is)
		})
		if len(kept) > 0 {
			plain := c.stash().without(objects[i].value)
			without, err := c.trips(ctx, from, to, []*subject{{value: plain, text: encode(plain)}}, unjudged)
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
