package adopttest

import (
	"cmp"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const (
	mutatedPaths   = 300 // of one object with many members: each absent, and each null
	maxDifferences = 5   // in a report, for each direction
	// panicking is how many objects that make the operator's code panic are given to the module. A
	// module that fails five times in a row is not called any more.
	panicking = 4
)

// comparison is one direction between two versions.
type comparison struct {
	kind     Kind
	from, to Version
	r        *rand.Rand
	given    inputs
	structs  []reflect.Type // of the version converted from
	repeated int            // objects that were converted again for the module
	largest  float64        // the largest number of an object
	wide     bool           // the search goes on with rare changes; see corpus.search
}

// run compares one direction for each module. It reports differences of the first, and goes on to
// the end. With -short it measures no times.
func (c *comparison) run(t *testing.T, modules []string) (pairs []Pair) {
	t.Helper()
	c.largest = largestNumber()
	all, found := c.collect(t)
	var objects, failing []object
	for _, o := range all {
		if o.panicked != "" {
			failing = append(failing, o)
		} else {
			objects = append(objects, o)
		}
	}
	failing = failing[:min(len(failing), panicking)]
	for i, module := range modules {
		pair := found.pair(c)
		switch err := c.against(module, objects, failing, &pair); {
		case err != nil && i == 0:
			t.Fatal(err)
		case err != nil: // it cannot be loaded
			pair.note(&Difference{Module: err.Error()})
		}
		pairs = append(pairs, pair)
	}
	pair := &pairs[0]
	for _, d := range pair.Differences {
		t.Errorf("%s\nthe module:         %s\nthe operator's code: %s\nobject: %s", cmp.Or(d.Path, "(the whole result)"), d.Module, d.Want, d.Object)
	}
	if pair.Differing > len(pair.Differences) {
		t.Errorf("%d objects differ", pair.Differing)
	}
	if testing.Short() {
		return pairs
	}
	pair.Sample = c.sample(t)
	pair.Native, pair.NativeInAList = c.measure(t, pair.Sample, runs, 1, 100), c.measure(t, pair.Sample, listRuns, 1000, 1)
	return pairs
}

// against compares the results of a module.
func (c *comparison) against(module string, objects, failing []object, pair *Pair) error {
	c.repeated = 0
	answers, err := c.module(module, append(objects[:len(objects):len(objects)], failing...))
	if err != nil {
		return err
	}
	for i, o := range objects {
		pair.Compared++
		if o.refusal != "" {
			pair.Refused++
		}
		if o.given {
			pair.Given++
		}
		pair.noteUnseen(o.unseen)
		difference, unstable := c.compare(o, answers[i])
		if unstable != "" {
			pair.Unstable++
			if !slices.Contains(pair.UnstableAt, unstable) {
				pair.UnstableAt = append(pair.UnstableAt, unstable)
			}
		}
		pair.note(difference)
	}
	for i, o := range failing {
		if a := answers[len(objects)+i]; a.refusal == "" {
			pair.note(&Difference{Module: string(a.text), Want: "a panic: " + o.panicked, Object: string(o.text)})
		}
	}
	return nil
}

// note counts a difference, and keeps it if it is among the first at its path.
func (p *Pair) note(d *Difference) {
	if d == nil {
		return
	}
	p.Differing++
	same := func(other Difference) bool { return place(other.Path) == place(d.Path) }
	if len(p.Differences) < maxDifferences && !slices.ContainsFunc(p.Differences, same) {
		d.Object = shorten(d.Object, 2000)
		p.Differences = append(p.Differences, *d)
	}
}

// shorten cuts a text for a message.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
