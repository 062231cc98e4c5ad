package fuzz

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
)

// maxJudged is the most given objects that a report says something about.
const maxJudged = 100

// judged returns a line for each object of the caller that an API server would cut or reject at the
// object's own version: its conversion shows less than the object has.
func (f *fuzzer) judged(ctx context.Context) (lines []string) {
	for _, text := range f.cfg.Given {
		object, err := decode(text)
		if err != nil || object["kind"] != f.def.Kind || len(lines) == maxJudged {
			continue
		}
		for _, v := range f.versions {
			if object["apiVersion"] != v.APIVersion {
				continue
			}
			var faults []string
			if cut := v.Store(object); len(cut) > 0 {
				faults = append(faults, "cuts "+enumerated(cut, maxPaths))
			}
			if errs := v.ValidateSchema(ctx, object); len(errs) > 0 {
				faults = append(faults, "rejects "+firstLine(errs[0].Error()))
			}
			if len(faults) > 0 {
				lines = append(lines, fmt.Sprintf("%v: %s itself %s", metadataIn(object)["name"], v.Name, strings.Join(faults, ", and ")))
			}
		}
	}
	return lines
}

// given returns the objects to begin with, by apiVersion: those of the caller, and those of the
// golden cases.
func (f *fuzzer) given() map[string][]map[string]any {
	all := map[string][]map[string]any{}
	add := func(text []byte, golden bool) {
		object, err := decode(text)
		if err != nil || object["kind"] != f.def.Kind {
			return
		}
		version, _ := object["apiVersion"].(string)
		meta := metadataIn(object)
		if meta == nil {
			meta = map[string]any{}
			object["metadata"] = meta
		}
		if f.def.Namespaced && meta["namespace"] == nil {
			meta["namespace"] = "default"
		}
		for key := range annotationsOf(object) {
			if golden && f.stash().owns(key) { // of a fragment, perhaps, or of an object that changed since
				delete(annotationsOf(object), key)
			}
		}
		for key, value := range map[string]any{"name": "given", "uid": "6f1d2c3b-0a59-4877-9e66-55d4c3b2a190", "creationTimestamp": "2024-02-29T23:59:59Z"} {
			if _, there := meta[key]; !there {
				meta[key] = value
			}
		}
		all[version] = append(all[version], object)
	}
	for _, text := range f.cfg.Given {
		add(text, false)
	}
	for _, m := range f.cfg.Modules {
		for _, c := range m.Cases() {
			add(c.Object, true)
			if c.Want != nil {
				add(c.Want, true)
			}
		}
	}
	return all
}

// runStored tests objects that exist instead of generated ones. It holds one batch.
func (f *fuzzer) runStored(ctx context.Context, stored iter.Seq2[json.RawMessage, error]) error {
	batches := map[*version][]*subject{}
	flush := func(v *version) error {
		batch := batches[v]
		batches[v] = nil
		if len(batch) == 0 {
			return nil
		}
		v.batches++
		return f.test(ctx, v, batch)
	}
	for text, err := range stored {
		if err != nil {
			return err
		}
		object, err := decode(text)
		if err != nil {
			return fmt.Errorf("reading a stored object: %w", err)
		}
		for _, v := range f.versions {
			if object["apiVersion"] != v.APIVersion || object["kind"] != f.def.Kind {
				continue
			}
			if len(v.targets) == 0 { // it would count as tested
				return fmt.Errorf("the stored objects are read at %s, which the modules do not convert: name the module that does, too", v.Name)
			}
			batches[v] = append(batches[v], f.counted(v, object))
			if len(batches[v]) == batchSize {
				if err := flush(v); err != nil {
					return err
				}
			}
		}
		if f.cfg.Progress != nil {
			f.cfg.Progress(f.report.Objects, len(f.report.Findings))
		}
	}
	for _, v := range f.versions {
		if err := flush(v); err != nil {
			return err
		}
	}
	return over(ctx)
}
