package adopttest

import (
	"math/rand"
	"testing"
)

const (
	randomObjects = 100 // with few to many members
	wholeObjects  = 12  // with all members
	backObjects   = 60  // results of the conversion in the other direction, beside those of given objects
	tries         = 10  // for one object that is not refused
	maxForced     = 400 // members that an object is made for
	fragments     = 60
	keptChanges   = 300 // changed objects that are compared although they run nothing new
	// The search for objects that run new code ends after so many changes without success, and in
	// any case after so many.
	idleChanges = 800
	maxChanges  = 12_000
	// maxChangedBytes bounds the texts of changed objects together: with large ones, each costs
	// milliseconds.
	maxChangedBytes = 48 << 20
)

// collect makes the objects of a comparison: those given, random and whole ones, results of the
// way back, changed ones that run new code, mutations of one with many members, and fragments.
func (c *comparison) collect(t *testing.T) ([]object, *corpus) {
	t.Helper()
	k := newCorpus(c)
	for i, text := range c.given.given(c.from.apiVersion) {
		if o, err := decodeObject(text); err == nil {
			k.try(t, c.finish(c.from, o, k.number), true, true, true)
			k.objects[len(k.objects)-1].sample = i < len(c.given.Samples[c.from.apiVersion])
		}
	}
	k.fill(t, randomObjects, func(i int) ([]byte, error) {
		return c.random(c.from, float64(i+1)/randomObjects, false, k.number)
	})
	k.fill(t, wholeObjects, func(int) ([]byte, error) { return c.random(c.from, 1, true, k.number) })
	for i := range len(c.given.given(c.to.apiVersion)) + backObjects {
		if text := k.back(k.other(i)); text != nil {
			k.try(t, text, true, false, false)
		}
	}
	for n, path := range k.missing() {
		for i := 0; i < tries && n < maxForced && len(k.bases) > 0; i++ {
			text, ok := c.forced(k.bases[c.r.Intn(len(k.bases))], path, k.number)
			if !ok || k.try(t, text, true, false, false) {
				break
			}
		}
	}
	k.search(t)
	k.mutate(t)
	return k.objects, k
}

// fill makes objects until the operator's code takes as many; each place gets some tries.
func (k *corpus) fill(t *testing.T, n int, make func(i int) ([]byte, error)) {
	t.Helper()
	for i := range n {
		for try := range tries {
			text, err := make(i)
			if err != nil {
				t.Fatal(err)
			}
			if k.try(t, text, true, false, try == tries-1) {
				break
			}
		}
	}
}

// other returns an object of the other version: a given one, or a random one, of which every fourth
// has all members. It is nil if none can be made.
func (k *corpus) other(i int) []byte {
	c := k.c
	if given := c.given.given(c.to.apiVersion); i < len(given) {
		return given[i]
	}
	text, err := c.random(c.to, c.r.Float64(), i%4 == 0, k.number)
	if err != nil {
		return nil
	}
	return text
}

// back returns an object of the other version as the operator's code converts it to the version
// converted from: with the annotations, perhaps, in which it keeps what this one lacks. It is nil if
// the object is refused.
func (k *corpus) back(text []byte) []byte {
	c := k.c
	result := c.once(c.to, c.from, text)
	if text == nil || !result.accepted() {
		return nil
	}
	o, err := decodeObject(result.text)
	if err != nil {
		return nil
	}
	if len(k.others) < 400 {
		k.others = append(k.others, text)
	}
	return c.finish(c.from, o, k.number)
}

// search looks for objects that run code that none ran before: first by common changes, then by
// rare ones as well, which would otherwise take the places of the common ones.
func (k *corpus) search(t *testing.T) {
	t.Helper()
	k.change(t)
	c, r := k.c, k.c.r
	c.r, c.wide = rand.New(rand.NewSource(1)), true
	k.change(t)
	c.r, c.wide = r, false
}

// change changes objects, and keeps those that run code that none ran before. Without coverage it
// keeps some of the changed objects.
func (k *corpus) change(t *testing.T) {
	t.Helper()
	c, kept, bytes := k.c, 0, 0
	for n, idle := 0, 0; n < maxChanges && bytes < maxChangedBytes && idle < idleChanges && len(k.bases) > 0; n++ {
		base := k.bases[c.r.Intn(len(k.bases))]
		if c.r.Intn(2) == 0 { // what was found last leads on most often
			base = k.bases[len(k.bases)-1-c.r.Intn(min(len(k.bases), 20))]
		}
		text, err := c.changed(c.from, base, k.number)
		if n%4 == 0 && len(k.others) > 0 {
			other, changeErr := c.changed(c.to, k.others[c.r.Intn(len(k.others))], k.number)
			if text, err = k.back(other), changeErr; n%8 == 0 && text != nil {
				text, err = c.changed(c.from, text, k.number)
			}
		}
		if bytes += len(text); err != nil || text == nil {
			idle++
			continue
		}
		before := k.coverage
		keep := kept < keptChanges && n%2 == 0
		if k.try(t, text, keep, false, false) && keep {
			kept++
		}
		if idle++; k.coverage > before {
			idle = 0
		}
	}
}

// mutate adds the object with most members without each of them, and fragments of random objects.
func (k *corpus) mutate(t *testing.T) {
	t.Helper()
	var full []byte
	for _, o := range k.objects {
		if len(o.wants) > 0 && len(o.text) > len(full) && len(o.text) < 64<<10 {
			full = o.text
		}
	}
	texts, err := mutations(full, mutatedPaths, k.c.r)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		k.try(t, text, true, false, false)
	}
	r := rand.New(rand.NewSource(k.c.r.Int63()))
	for range fragments {
		if len(k.bases) == 0 {
			return
		}
		text, err := k.c.fragment(k.bases[r.Intn(len(k.bases))])
		if err != nil {
			t.Fatal(err)
		}
		o := object{text: text, fragment: true}
		for range nativeRuns {
			if err := k.c.again(&o); err != nil {
				t.Fatal(err)
			}
		}
		if o.panicked == "" {
			k.objects = append(k.objects, o)
		}
	}
}
