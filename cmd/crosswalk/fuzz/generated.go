package fuzz

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
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

// literal matches the texts in a module that may be values or names of fields, and quoted those of
// scripts.
var (
	literal = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._/:-]{1,39}`)
	quoted  = regexp.MustCompile("[\"'`]([A-Za-z0-9][A-Za-z0-9._/:-]{1,39})[\"'`]")
)

const (
	// maxLiterals bounds the words of a dictionary.
	maxLiterals = 4000
	// maxScanned bounds the bytes that are searched for literals: the last ones, which have the data.
	maxScanned = 8 << 20
)

// Literals returns the texts in a module, those in quotes first: constants with which it compares
// values are among them. It finds none in packed modules.
func Literals(wasm []byte) []string {
	wasm = wasm[max(0, len(wasm)-maxScanned):]
	first := found(quoted, wasm, 1)
	rest := slices.DeleteFunc(found(literal, wasm, 0), func(word string) bool {
		_, there := slices.BinarySearch(first, word)
		return there
	})
	return append(first, rest...)
}

// found returns the matches of a group, sorted, and evenly chosen if there are too many.
func found(pattern *regexp.Regexp, wasm []byte, group int) (all []string) {
	for _, at := range pattern.FindAllSubmatchIndex(wasm, -1) {
		all = append(all, string(wasm[at[2*group]:at[2*group+1]]))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	step, n := len(all)/(maxLiterals/2)+1, 0
	for i := 0; i < len(all); i += step {
		all[n] = all[i]
		n++
	}
	return all[:n]
}
