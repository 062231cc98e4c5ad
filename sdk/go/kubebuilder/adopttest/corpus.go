package adopttest

import (
	"cmp"
	"encoding/json"
	"maps"
	"math/rand"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	keptRefusals = 5  // objects that are compared, of those with one text
	maxRefusals  = 60 // and with any: texts may have values of the object
	// minTries is how often objects with a member must be refused before the member counts as never
	// accepted.
	minTries = 5
	maxTexts = 10 // in a report
)

// corpus are the objects of a comparison, with what was found out while they were chosen.
type corpus struct {
	c        *comparison
	objects  []object
	bases    [][]byte // accepted ones, to change
	others   [][]byte // of the other version, that convert to this one
	number   int
	coverage float64
	kept     int // refused objects

	accepted, refused map[string]int    // tries of objects with a member, by path
	why               map[string]string // a refusal's text, by path
	refusals, panics  map[string]*Text  // by text without its values
}

func newCorpus(c *comparison) *corpus {
	return &corpus{
		c: c, accepted: map[string]int{}, refused: map[string]int{}, why: map[string]string{},
		refusals: map[string]*Text{}, panics: map[string]*Text{},
	}
}

// try converts an object with the operator's code. It keeps the object for the comparison if keep
// is true or the object ran code that none ran before, and if it is refused, one of few with this
// text, or the last of its kind.
func (k *corpus) try(t *testing.T, text []byte, keep, given, last bool) (accepted bool) {
	t.Helper()
	k.number++
	result := k.c.once(k.c.from, k.c.to, text)
	if result.skipped {
		return false
	}
	fresh := false
	if now := testing.Coverage(); now > k.coverage {
		k.coverage, fresh = now, true
	}
	k.use(text, result)
	switch {
	case result.accepted():
		if fresh || keep && len(k.bases) < 400 {
			k.bases = append(k.bases, text)
		}
	case result.panicked != "":
		keep = k.few(note(k.panics, result.panicked)) || last
	default:
		keep = k.few(note(k.refusals, result.refusal)) || last
	}
	if keep || fresh {
		k.keep(t, text, given)
	}
	return result.accepted()
}

// few reports whether another refused object is kept, the nth with its text.
func (k *corpus) few(n int) bool {
	if n > keptRefusals || k.kept >= maxRefusals {
		return false
	}
	k.kept++
	return true
}

// keep adds an object to the comparison.
func (k *corpus) keep(t *testing.T, text []byte, given bool) {
	t.Helper()
	o, err := k.c.native(text)
	if err != nil {
		t.Fatal(err)
	}
	o.given = given
	k.objects = append(k.objects, o)
}

var values = regexp.MustCompile(`"(\\.|[^"\\])*"|'[^']*'|[0-9]+`)

// note counts a text, whatever values it has, and returns its count.
func note(texts map[string]*Text, text string) int {
	key := values.ReplaceAllString(text, "…")
	if texts[key] == nil {
		texts[key] = &Text{Text: shorten(text, 500)}
	}
	texts[key].Count++
	return texts[key].Count
}

// use counts the members that an object has.
func (k *corpus) use(text []byte, result outcome) {
	v := reflect.New(k.c.from.of)
	if json.Unmarshal(text, v.Interface()) != nil {
		return
	}
	for path := range pathsIn(v.Elem()) {
		if result.accepted() {
			k.accepted[path]++
		} else {
			k.refused[path]++
			k.why[path] = cmp.Or(result.refusal, "a panic: "+result.panicked)
		}
	}
}

// missing returns the members that no accepted object has, without those inside of others that are missing.
func (k *corpus) missing() (paths []string) {
	all := pathsOf(k.c.from.of)
	for _, path := range all {
		inside := len(paths) > 0 && within(path, paths[len(paths)-1])
		if k.accepted[path] == 0 && !inside {
			paths = append(paths, path)
		}
	}
	return paths
}

func within(path, outer string) bool {
	return strings.HasPrefix(path, outer+".") || strings.HasPrefix(path, outer+"[")
}

// pair returns the part of the report that is known before the module runs.
func (k *corpus) pair(c *comparison) Pair {
	p := Pair{From: c.from.apiVersion, To: c.to.apiVersion, Refusals: sortedTexts(k.refusals), Panics: sortedTexts(k.panics)}
	failed := map[string]*Text{}
	for _, o := range k.objects {
		if o.panicked != "" {
			p.Panicked++
		}
		if !o.sample || strings.HasPrefix(o.refusal, decoding) { // no object of the types, such as a part of one in a page
			continue
		}
		switch p.Samples++; {
		case o.panicked != "":
			note(failed, "a panic: "+o.panicked)
		case o.refusal != "":
			note(failed, o.refusal)
		}
	}
	p.FailedSamples = sortedTexts(failed)
	for _, path := range k.missing() {
		if k.refused[path] >= minTries {
			p.NeverAccepted = append(p.NeverAccepted, Unaccepted{Path: path, Text: shorten(k.why[path], 300), Tries: k.refused[path]})
		} else {
			p.NeverCompared = append(p.NeverCompared, path)
		}
	}
	return p
}

func sortedTexts(texts map[string]*Text) (list []Text) {
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		list = append(list, *texts[key])
	}
	slices.SortStableFunc(list, func(a, b Text) int { return cmp.Compare(b.Count, a.Count) })
	return list[:min(len(list), maxTexts)]
}

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
