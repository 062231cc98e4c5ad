package fuzz

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
)

// symptom is a fault that one object shows.
type symptom struct {
	key      string // one finding for each
	property string
	path     string // general
	at       string
	was, is  any // absent{} where there is none
	detail   string
	object   *subject // that shows it, if it is not the one that was tested
}

// check tests objects of one version against conversions to another. It returns the symptoms of
// each object.
type check struct {
	// stored: the objects are as an API server stores them. Others are fragments.
	stored bool
	run    func(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error)
}

// due reports whether a check that runs with every n-th batch of a version runs with the next one.
// The first batches have all checks, so that a short run misses none.
func (v *version) due(n int) bool { return v.batches < 8 || v.batches%n == 0 }

// checks returns the checks of whole objects that are due. Those that find rare mistakes, or
// convert an object several times, run seldom.
func (f *fuzzer) checks(v *version) (all []check) {
	add := func(every int, c check) {
		if v.due(every) {
			all = append(all, c)
		}
	}
	add(1, check{true, f.roundTrips})
	add(8, check{true, f.stale})
	add(8, check{true, f.hidden})
	add(8, check{true, f.dependence})
	if f.whole != nil {
		add(8, check{true, f.undeclared})
	}
	if len(f.versions) > 2 {
		add(2, check{true, f.chains})
	}
	return all
}

// test runs the checks on a batch and records their symptoms.
func (f *fuzzer) test(ctx context.Context, v *version, batch []*subject) error {
	for _, to := range v.targets {
		for _, c := range f.checks(v) {
			if err := f.check(ctx, c, v, to, batch); err != nil {
				return err
			}
		}
		if v.due(8) {
			if err := f.check(ctx, check{false, f.fragments}, v, to, fragmentsOf(v, batch)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *fuzzer) check(ctx context.Context, c check, from, to *version, objects []*subject) error {
	if len(objects) == 0 {
		return nil
	}
	symptoms, err := c.run(ctx, from, to, objects)
	if err != nil {
		return err
	}
	for i, list := range symptoms {
		for _, s := range list {
			if err := f.record(ctx, c, from, to, objects[i], s); err != nil {
				return err
			}
		}
	}
	return nil
}

// record records a symptom. The first of its kind is shrunk.
func (f *fuzzer) record(ctx context.Context, c check, from, to *version, object *subject, s symptom) error {
	key := s.property + "|" + from.Name + "|" + to.Name + "|" + s.key
	if i, known := f.byKey[key]; known {
		if i >= 0 {
			f.report.Findings[i].Count++
		}
		return nil
	}
	if len(f.report.Findings) >= maxFindings {
		f.report.Truncated = true
		return nil
	}
	n := object.n
	if s.object != nil {
		object = s.object
	}
	least, found, err := f.shrink(ctx, c, from, to, object, s)
	if err != nil {
		return err
	}
	path := found.path
	if path == "" {
		if path, err = f.culprit(ctx, c, from, to, least, s); err != nil {
			return err
		}
	}
	for i, other := range f.report.Findings { // two messages about one field, for example
		if other.Property == s.property && other.From == from.Name && other.To == to.Name && other.Path == path && s.path == "" {
			f.byKey[key] = i
			f.report.Findings[i].Count++
			return nil
		}
	}
	f.byKey[key] = len(f.report.Findings)
	f.report.Findings = append(f.report.Findings, Finding{
		Property: s.property, From: from.Name, To: to.Name, Path: path, At: found.at, Was: shown(found.was), Is: shown(found.is), Detail: found.detail,
		Object: least.text, Fields: fieldsOf(least.value), Objects: n, Count: 1, key: key,
	})
	return nil
}

// shrink returns a smaller object with the same symptom, and its symptom.
func (f *fuzzer) shrink(ctx context.Context, c check, from, to *version, object *subject, s symptom) (*subject, symptom, error) {
	var failed error
	found := s
	least := shrink.Object(object.value, maxShrinks, c.stored, func(candidate map[string]any) map[string]any {
		if failed != nil {
			return nil
		}
		if c.stored {
			if from.Store(candidate); len(from.Validate(ctx, candidate)) > 0 {
				return nil
			}
		}
		now, ok, err := f.shows(ctx, c, from, to, candidate, s)
		if err != nil {
			failed = err
		}
		if !ok {
			return nil
		}
		found = now
		return candidate
	})
	return &subject{value: least, text: encode(least)}, found, failed
}

// shows reports whether an object has a symptom.
func (f *fuzzer) shows(ctx context.Context, c check, from, to *version, object map[string]any, s symptom) (symptom, bool, error) {
	symptoms, err := c.run(ctx, from, to, []*subject{{value: object, text: encode(object)}})
	if err != nil {
		return s, false, err
	}
	for _, other := range symptoms[0] {
		if other.property == s.property && other.key == s.key && other.object == nil {
			return other, true, nil
		}
	}
	return s, false, nil
}

// culprit returns the path of the value in a shrunk object that a symptom without a path depends
// on: without this value, the object does not show it. It returns "." if there is no single one.
func (f *fuzzer) culprit(ctx context.Context, c check, from, to *version, object *subject, s symptom) (string, error) {
	for _, leaf := range shrink.Leaves(object.value) {
		if leaf[0] == "apiVersion" || leaf[0] == "kind" || leaf[0] == "metadata" {
			continue
		}
		without := runtime.DeepCopyJSON(object.value)
		shrink.Remove(without, leaf)
		if _, still, err := f.shows(ctx, c, from, to, without, s); err != nil || !still {
			return generalPath(from.Schema, leaf), err
		}
	}
	return ".", nil
}
