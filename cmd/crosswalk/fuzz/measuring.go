package fuzz

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/generate"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

const (
	// measureTime is the most time for all measures. They take a second for a definition of usual size.
	measureTime = 30 * time.Second
	// leastObjects and mostObjects are how many objects of a version the share of valid ones is of: as
	// many as the schema has fields, within these bounds.
	leastObjects, mostObjects = 100, 400
	maxGiven                  = 3 // given objects that a value is changed in
	maxEdits                  = 3 // changes in the other version
	measureBatch              = 16
)

// measures measures the conversions between neighbouring versions. given are objects by apiVersion, and
// words are for texts. What is wrong with an answer is noted, so that no report has a share below 100 % and
// no finding.
func (c *checker) measures(ctx context.Context, seed uint64, words []string, given map[string][]map[string]any, note notes) (all []Measure, err error) {
	within, cancel := context.WithTimeout(ctx, measureTime)
	defer cancel()
	var last *version
	for _, v := range c.versions {
		if len(v.targets) == 0 {
			continue
		}
		for _, way := range [][2]*version{{last, v}, {v, last}} {
			if last == nil || !slices.Contains(way[0].targets, way[1]) {
				continue
			}
			e := experiment{checker: c, from: way[0], to: way[1], given: given[way[0].APIVersion], limit: ctx, note: note}
			e.generator = generate.New(within, way[0].Version, seed, e.given...)
			e.generator.Learn(words)
			m, err := e.run(within)
			if err != nil {
				return nil, err
			}
			all = append(all, m)
		}
		last = v
	}
	return all, nil
}

// notes records what an object shows that was converted to another version.
type notes func(ctx context.Context, from, to *version, object *subject, s symptom) error

// experiment measures the conversions from one version to another.
type experiment struct {
	*checker
	from, to  *version
	given     []map[string]any
	generator *generate.Generator
	limit     context.Context // of the run: the measure's own ends earlier
	note      notes
}

func (e *experiment) run(ctx context.Context) (Measure, error) {
	m := Measure{From: e.from.Name, To: e.to.Name, Fields: []MeasuredField{}}
	fields := differing(e.from.Schema, e.to.Schema)
	unlike, err := e.compare(ctx, &m, fields)
	if err != nil {
		return m, err
	}
	for _, f := range fields {
		if f.alike && !unlike[f.path] {
			continue
		}
		measured, err := e.field(ctx, f)
		if err != nil {
			return m, err
		}
		if f.alike && measured.Verdict != Hidden && measured.Verdict != Lost && measured.Verdict != Refused {
			measured.Verdict, measured.At = Unlike, f.path
		}
		m.Fields = append(m.Fields, measured)
	}
	return m, nil
}

// ended reports whether the time of the measure is over, and not that of the run.
func (e *experiment) ended(ctx context.Context) bool { return over(ctx) != nil && over(e.limit) == nil }

// compare converts objects, counts those that are valid in the other version, and returns the fields of
// both versions that seldom have the same value in both.
func (e *experiment) compare(ctx context.Context, m *Measure, fields []fieldPart) (unlike map[string]bool, err error) {
	alike := map[string]bool{}
	for _, f := range fields {
		alike[f.path] = f.alike
	}
	there, equal := map[string]int{}, map[string]int{}
	for m.Objects < min(max(len(fields), leastObjects), mostObjects) {
		var batch []*subject
		for len(batch) < measureBatch {
			object := e.generator.Next(ctx)
			if object == nil {
				break
			}
			batch = append(batch, &subject{value: object, text: encode(object)})
		}
		if len(batch) == 0 {
			break
		}
		values, _, symptoms, err := e.there(ctx, e.to, batch, e.to.Validate)
		if err != nil {
			if e.ended(ctx) {
				break
			}
			return nil, err
		}
		for i, value := range values {
			m.Objects++
			for _, s := range symptoms[i] {
				if s.property == Cut {
					continue
				}
				if err := e.note(ctx, e.from, e.to, batch[i], s); err != nil && !e.ended(ctx) { // else it is recorded as it is
					return nil, err
				}
			}
			if value == nil {
				continue
			}
			if !slices.ContainsFunc(symptoms[i], func(s symptom) bool { return s.property == Rejected }) {
				m.Valid++
			}
			was, is := map[string][]any{}, map[string][]any{}
			gather(e.from.Schema, batch[i].value, alike, was)
			gather(e.to.Schema, value, alike, is)
			for path, values := range was {
				// An empty value that is left out is a finding of ClassEmpty, and nothing else for a client.
				values, others := slices.DeleteFunc(values, hollow), slices.DeleteFunc(is[path], hollow)
				if len(values)+len(others) == 0 {
					continue
				}
				if there[path]++; slices.EqualFunc(values, others, same) {
					equal[path]++
				}
			}
		}
	}
	unlike = map[string]bool{}
	for path, n := range there {
		unlike[path] = 2*equal[path] < n
	}
	return unlike, nil
}

// field measures a field by its values.
func (e *experiment) field(ctx context.Context, f fieldPart) (MeasuredField, error) {
	worst := MeasuredField{Path: f.path, alike: f.alike}
	order := []string{Carried, Unmeasured, Seen, Hidden, Unlike, Refused, Lost}
	others := false
	for _, leaf := range f.leaves {
		one, err := e.leaf(ctx, leaf)
		if err != nil {
			return worst, err
		}
		switch now, before := slices.Index(order, one.Verdict), slices.Index(order, worst.Verdict); {
		case now > before:
			others = others || before >= 0
			one.Path, one.alike, one.Within = worst.Path, worst.alike, []string{leaf}
			worst = one
		case now == before:
			worst.Within = append(worst.Within, leaf)
		default:
			others = true
		}
	}
	if !others {
		worst.Within = nil
	}
	return worst, nil
}

// bases are how objects with a value are made: how many of 8 other fields they have, and whether their
// other texts become plain words, which more converters accept.
var bases = []struct {
	density int
	plain   bool
}{{0, false}, {8, true}, {0, true}, {2, false}, {8, true}, {6, true}}

// leaf changes a value in several objects, and looks for an object in which the change is carried.
func (e *experiment) leaf(ctx context.Context, path string) (MeasuredField, error) {
	best := MeasuredField{Path: path, Verdict: Unmeasured}
	order := []string{Unmeasured, Refused, Lost, Hidden, Seen, Unlike, Carried}
	try := func(object map[string]any) error {
		found, err := e.vary(ctx, path, object)
		if err == nil && (slices.Index(order, found.Verdict) > slices.Index(order, best.Verdict)) {
			best = found
		}
		return err
	}
	var err error
	for object := range e.objects(ctx, path) {
		if err = try(object); err != nil || best.Verdict == Carried {
			break
		}
	}
	if err != nil && e.ended(ctx) {
		err = nil
	}
	return best, err
}

// objects yields objects with a value: given ones first.
func (e *experiment) objects(ctx context.Context, path string) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		n := 0
		for _, object := range e.given {
			object = runtime.DeepCopyJSON(object)
			e.from.Store(object)
			if n == maxGiven || locate(e.from.Schema, object, path) == nil || len(e.from.Validate(ctx, object)) > 0 {
				continue
			}
			if n++; !yield(object) {
				return
			}
		}
		for _, b := range bases {
			object := e.generator.With(ctx, path, b.density)
			if object != nil && b.plain {
				object = plain(ctx, e.from, object)
			}
			if object != nil && !yield(object) {
				return
			}
		}
	}
}

// vary converts an object with several values at a path, and compares what clients see of two of them.
func (e *experiment) vary(ctx context.Context, path string, object map[string]any) (MeasuredField, error) {
	found := MeasuredField{Path: path, Verdict: Unmeasured}
	at := locate(e.from.Schema, object, path)
	if at == nil {
		return found, nil
	}
	var objects []*subject
	for _, value := range variants(schemaOf(e.from.Schema, path), valueOf(object, at), e.generator.Known(path)) {
		other := runtime.DeepCopyJSON(object)
		if _, gone := value.(absent); gone {
			shrink.Remove(other, at)
		} else {
			shrink.Set(other, at, value)
		}
		e.from.Store(other)
		if len(e.from.ValidateSchema(ctx, other)) > 0 || slices.ContainsFunc(objects, func(s *subject) bool { return same(s.value, other) }) {
			continue
		}
		objects = append(objects, &subject{value: other, text: encode(other)})
	}
	if len(objects) < 2 {
		return found, nil
	}
	answers, err := e.convert.convert(ctx, e.to.APIVersion, textsOf(objects))
	if err != nil {
		return found, err
	}
	found.example = objects[0]
	var seen []sight
	for i, a := range answers {
		if a.failure != "" {
			continue
		}
		answer := a.value()
		e.to.Prune(answer)
		seen = append(seen, sight{objects[i], answer, e.visible(answer)})
	}
	if len(seen) < 2 {
		found.Verdict = Refused
		return found, nil
	}
	found.example = seen[0].object
	return e.edit(ctx, path, found, seen)
}

// sight is a converted object, and what clients see of it.
type sight struct {
	object          *subject
	answer, visible map[string]any
}

// edit changes the objects in the other version as clients do that make one of another, and looks whether
// the value comes back.
func (e *experiment) edit(ctx context.Context, path string, found MeasuredField, seen []sight) (MeasuredField, error) {
	var texts [][]byte
	var edits []sight
	for _, s := range seen[1:] {
		if len(edits) < maxEdits && !same(seen[0].visible, s.visible) {
			edits, texts = append(edits, s), append(texts, encode(e.edited(seen[0], s)))
		}
	}
	if len(edits) > 0 && !e.from.back[e.to] {
		found.Verdict = Carried // no conversion leads back
		return found, nil
	}
	texts = append(texts, encode(seen[0].answer))
	if !e.from.back[e.to] {
		found.Verdict = Lost
		return found, nil
	}
	back, err := e.convert.convert(ctx, e.from.APIVersion, texts)
	if err != nil {
		return found, err
	}
	for i, s := range edits {
		if !e.comesBack(&back[i], path, s.object) {
			continue
		}
		found.Verdict = Carried
		if d := differences(e.to.Schema, e.def.Group, seen[0].visible, s.visible); len(d) > 0 {
			found.At = d[0].general
			if len(d) == 1 && Opposite(path, found.At) && same(d[0].is, valueOrAbsent(e.from.Schema, s.object.value, path)) {
				found.Verdict = Unlike
			}
		}
		return found, nil
	}
	switch {
	case !e.comesBack(&back[len(back)-1], path, seen[0].object):
		found.Verdict = Lost
	case len(edits) > 0:
		found.Verdict = Seen
	default:
		found.Verdict = Hidden
	}
	return found, nil
}

// edited returns a converted object after a client's change that makes it look like another one: the
// annotations that the client does not see stay.
func (e *experiment) edited(object, other sight) map[string]any {
	made, annotations := runtime.DeepCopyJSON(other.visible), maps.Clone(annotationsOf(object.answer))
	for key := range annotationsOf(object.visible) {
		delete(annotations, key)
	}
	if meta := metadataIn(made); meta != nil && len(annotations) > 0 {
		maps.Copy(annotations, annotationsOf(made))
		meta["annotations"] = annotations
	}
	return made
}

// comesBack reports whether the value at a path of an answer is that of an object.
func (e *experiment) comesBack(a *answer, path string, object *subject) bool {
	if a.failure != "" {
		return false
	}
	value := a.value()
	e.from.Prune(value)
	e.from.Default(value)
	was, is, wanted := map[string][]any{}, map[string][]any{}, map[string]bool{path: true}
	gather(e.from.Schema, object.value, wanted, was)
	gather(e.from.Schema, value, wanted, is)
	return slices.EqualFunc(was[path], is[path], same)
}

// visible returns what clients see of an object: all but annotations, except for those that a module
// declares as fields.
func (e *experiment) visible(object map[string]any) map[string]any {
	shown := runtime.DeepCopyJSON(object)
	for key := range annotationsOf(shown) {
		declared := slices.ContainsFunc(e.modules, func(m Module) bool {
			return slices.ContainsFunc(m.Declared()[e.to.Name], func(f string) bool { return strings.Contains(f, key) })
		})
		if !declared || e.stash().owns(key) {
			delete(annotationsOf(shown), key)
		}
	}
	if len(annotationsOf(shown)) == 0 {
		delete(metadataIn(shown), "annotations")
	}
	return shown
}
