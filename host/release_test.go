package host

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// TestConversionReleasesReview: a conversion that is kept for the next review has no reference to
// the last one, not even behind the ends of its slices, where a shorter batch does not overwrite
// the entries of a longer one.
func TestConversionReleasesReview(t *testing.T) {
	m := &funcModule{File: "m.wasm", Paths: []string{"spec.a", "metadata.name"}, One: func(from, to string, object []byte) ([]byte, string) {
		return []byte(strings.Replace(strings.Replace(string(object), from, to, 1), `"a":1`, `"a":2`, 1)), ""
	}}
	plain := &funcModule{File: "p.wasm", One: func(_, _ string, _ []byte) ([]byte, string) { return []byte(`{"spec":{}}`), "" }}
	all := append(edges(m, "v1→v2", "v3→v2"), edges(plain, "v4→v2", "v5→v2")...)
	c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(all)}, Cache: NewCache(1 << 20)})
	var objects []string
	for i := range 64 {
		version := []string{"v3", "v5"}[i%2]
		if i < 60 {
			version = []string{"v1", "v4"}[i%2]
		}
		objects = append(objects, fmt.Sprintf(`{"apiVersion":"stable.example.com/%s","kind":"CronTab","metadata":{"name":"n%d","labels":{"a":"b"}},"spec":{"a":1}}`, version, i))
	}
	body := []byte(strings.Replace(reviewOf("v1", "stable.example.com/v2", objects...), `"n62"`, `"n1-too"`, 1))
	w := newWorker(c)
	for _, fresh := range []string{"", `"n1`} { // at the second time the cache knows all but some: five, six, none and one of the four versions
		body = []byte(strings.ReplaceAll(string(body), fresh, strings.Replace(fresh, "n", "x", 1)))
		if _, outcome, err := w.answer(t.Context(), body); err != nil || outcome.Failure != "" {
			t.Fatal(outcome, err)
		}
		w.recycle()
	}
	for name, kept := range map[string]any{"inputs": w.inputs, "subset": w.subset, "projected": w.projector.objects, "hits": w.lookup.hits, "flights": w.lookup.flights, "joined": w.lookup.joined} {
		s := reflect.ValueOf(kept)
		for i := range s.Cap() {
			if !s.Slice(0, s.Cap()).Index(i).IsZero() {
				t.Errorf("%s still has what was at %d", name, i)
				break
			}
		}
	}
	if n := w.checker.scan.Offset(); n != 0 {
		t.Errorf("the checker is still at byte %d of an answer", n)
	}
}

// TestCheckerReleasesAnswer: neither scanner of a checker has a reference to an answer after it.
func TestCheckerReleasesAnswer(t *testing.T) {
	k := checker{limits: Limits{}.withDefaults()}
	for _, s := range []*rawjson.Scanner{&k.scan, &k.second} {
		s.Reset([]byte(`{}`), 0)
		s.Skip()
	}
	k.recycle()
	if first, second := k.scan.Offset(), k.second.Offset(); first != 0 || second != 0 {
		t.Errorf("the scanners are still at bytes %d and %d of an answer", first, second)
	}
}
