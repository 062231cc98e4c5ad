package fuzz

import (
	"context"
	"errors"
	"fmt"
)

// small tests generated objects.
func (f *fuzzer) small(ctx context.Context) error {
	for {
		idle := true
		for _, v := range f.versions {
			if len(v.targets) == 0 || v.done {
				continue
			}
			if f.cfg.Objects > 0 && f.report.Objects >= f.cfg.Objects {
				return nil
			}
			batch := f.batch(ctx, v)
			if v.done = len(batch) == 0 && over(ctx) == nil; v.done {
				if v.objects == 0 {
					return fmt.Errorf("version %s of %s.%s: %w: %s", v.Name, f.def.Kind, f.def.Group, errNoObjects, v.generator.Why())
				}
				continue
			}
			idle = false
			err := over(ctx)
			if err == nil {
				err = f.test(ctx, v, batch)
			}
			if err != nil { // the batch is not tested
				v.objects -= len(batch)
				f.report.Objects -= len(batch)
				return err
			}
			v.batches++
			if f.cfg.Progress != nil {
				f.cfg.Progress(f.report.Objects, len(f.report.Findings))
			}
		}
		if idle {
			return nil
		}
	}
}

// batch generates objects of a version.
func (f *fuzzer) batch(ctx context.Context, v *version) (batch []*subject) {
	count := batchSize
	if f.cfg.Objects > 0 {
		count = min(count, f.cfg.Objects-f.report.Objects)
	}
	for range count {
		object := v.generator.Next(ctx)
		if object == nil {
			break
		}
		batch = append(batch, f.counted(v, object))
	}
	return batch
}

// errNoObjects reports a schema that no object was found for.
var errNoObjects = errors.New("no object was found that its API server accepts")

// batchSize is how many objects are generated at once.
const batchSize = 16
