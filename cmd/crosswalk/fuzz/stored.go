package fuzz

import (
	"context"
	"fmt"
)

// runStored tests the objects of Config.Stored instead of generated ones. It holds one batch.
func (f *fuzzer) runStored(ctx context.Context) error {
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
	for text, err := range f.cfg.Stored {
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
