package fuzz

import (
	"context"
	"strings"
)

// test runs the checks on a batch and records their symptoms.
func (f *fuzzer) test(ctx context.Context, v *version, batch []*subject) error {
	for _, to := range v.targets {
		for _, c := range f.checks(v) {
			objects := batch
			if !c.stored {
				objects = fragmentsOf(v, batch)
			}
			if err := f.check(ctx, c, v, to, objects); err != nil {
				return err
			}
		}
	}
	return nil
}

// check runs a check on objects of one version, or on those that it makes of them.
func (f *fuzzer) check(ctx context.Context, c check, from, to *version, objects []*subject) error {
	if c.edits == nil {
		return f.run(ctx, c, from, to, objects)
	}
	for edited, err := range c.edits(ctx, from, to, objects) {
		if err != nil {
			return err
		}
		for _, other := range to.targets {
			if err := f.run(ctx, c, to, other, edited); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs a check on the objects and records their symptoms.
func (f *fuzzer) run(ctx context.Context, c check, from, to *version, objects []*subject) error {
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
	least, found, err := c.shrink(ctx, from, to, object, s)
	path := found.path
	if path == "" && err == nil {
		path, err = c.culprit(ctx, from, to, least, s)
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
	last := &f.report.Findings[len(f.report.Findings)-1]
	if whole := fieldsOf(object.value); f.cfg.Stored != nil && whole > last.Fields {
		last.Whole = whole
	}
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
