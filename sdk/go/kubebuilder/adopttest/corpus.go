package adopttest

import (
	"cmp"
	"encoding/json"
	"maps"
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
