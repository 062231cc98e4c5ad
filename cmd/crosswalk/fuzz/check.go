package fuzz

import (
	"context"
	"strings"
)

// symptom is a fault that one object shows.
type symptom struct {
	key      string // one finding for each
	property string
	path     string // general
	at       string
	was, is  any // absent{} where there is none
	detail   string
	class    string   // "" if no values are compared
	hollow   bool     // no value that is not empty is lost, changed or added
	cut      string   // the outermost field that the API server cuts, if that loses the value
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
func (v *version) due(n int) bool { return v.thorough || v.batches < 8 || v.batches%n == 0 }

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
	prefix := s.property + "|" + from.Name + "|" + to.Name + "|"
	key := prefix + s.key
	if i, known := f.byKey[key]; known {
		if i >= 0 {
			f.report.Findings[i].Count++
		}
		return nil
	}
	if _, known := f.byKey[prefix+strings.TrimPrefix(s.key, emptyKey(""))]; s.hollow && known {
		return nil // dropHollow would drop it
	}
	if f.full(s.hollow) {
		f.report.Truncated = true
		return nil
	}
	n := object.n
	if s.object != nil {
		object = s.object
	}
	least, found, err := f.shrink(ctx, c, from, to, object, s)
	path := found.path
	if path == "" && err == nil {
		path, err = f.culprit(ctx, c, from, to, least, s)
	}
	if err != nil && over(ctx) == nil {
		return err
	}
	if path == "" { // the time is over: the object is as small as it could be made
		path = "."
	}
	for i, other := range f.report.Findings { // two messages about one field, for example
		if other.Property == s.property && other.From == from.Name && other.To == to.Name && other.Path == path && s.path == "" {
			f.byKey[key] = i
			f.report.Findings[i].Count++
			return nil
		}
	}
	missing := ""
	if err == nil {
		if missing, err = f.noField(ctx, from, to, least, &found); err != nil && over(ctx) == nil {
			return err
		}
	}
	f.byKey[key] = len(f.report.Findings)
	f.report.Findings = append(f.report.Findings, Finding{
		Property: s.property, Class: found.class, From: from.Name, To: to.Name, Path: path, At: found.at, Was: shown(found.was), Is: shown(found.is),
		Detail: found.detail, Missing: missing, Object: least.text, Fields: fieldsOf(least.value), Objects: n, Count: 1, key: key, hollow: s.hollow,
		cutShort: err != nil,
	})
	return err
}

// full reports whether no more findings are kept of those about empty values, or of the others.
func (f *fuzzer) full(hollow bool) bool {
	n := 0
	for i := range f.report.Findings {
		if f.report.Findings[i].hollow == hollow {
			n++
		}
	}
	return n >= maxFindings
}
