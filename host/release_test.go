package host

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// pure is a module whose answers are cached.
type pure struct{ *funcModule }

func (pure) Pure() bool { return true }

// TestReleased: a work that is kept for the next review refers to nothing of the last one, and so to no body, not even behind the ends of its
// slices: what a batch leaves there the next one, if it is shorter, does not write over.
func TestReleased(t *testing.T) {
	onProcessors(t, 1) // one lane has all batches
	m := &funcModule{name: "m.wasm", fields: []string{"spec.a", "metadata.name"}, one: func(from, to string, object []byte) ([]byte, string) {
		return []byte(strings.Replace(strings.Replace(string(object), from, to, 1), `"a":1`, `"a":2`, 1)), ""
	}}
	plain := &funcModule{name: "p.wasm", one: func(_, _ string, _ []byte) ([]byte, string) { return []byte(`{"spec":{}}`), "" }}
	all := append(edges(m, "v1→v2", "v3→v2"), edges(plain, "v4→v2", "v5→v2")...)
	for i := range all {
		all[i].Module = pure{all[i].Module.(*funcModule)}
	}
	c := NewConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(all)}, Cache: NewCache(1 << 20)})
	var objects []string
	for i := range 64 {
		version := []string{"v3", "v5"}[i%2]
		if i < 60 {
			version = []string{"v1", "v4"}[i%2]
		}
		objects = append(objects, fmt.Sprintf(`{"apiVersion":"stable.example.com/%s","kind":"CronTab","metadata":{"name":"n%d","labels":{"a":"b"}},"spec":{"a":1}}`, version, i))
	}
	body := []byte(strings.Replace(reviewOf("v1", "stable.example.com/v2", objects...), `"n62"`, `"n1-too"`, 1))
	w := &work{limits: c.limits, cache: c.cache, answers: &c.answers, crowd: c.crowd}
	for _, fresh := range []string{"", `"n1`} { // at the second time the cache knows all but some: five, six, none and one of the four versions
		body = []byte(strings.ReplaceAll(string(body), fresh, strings.Replace(fresh, "n", "x", 1)))
		if _, outcome, err := w.run(t.Context(), c.modules, nil, body); err != nil || outcome.Failure != "" {
			t.Fatal(outcome, err)
		}
		w.release()
	}
	for _, l := range w.lanes {
		for name, kept := range map[string]any{"views": l.views, "few": l.few, "shown": l.projector.objects, "entries": l.recall.entries, "awaited": l.recall.awaited, "tapped": l.tapped} {
			s := reflect.ValueOf(kept)
			for i := range s.Cap() {
				if !s.Slice(0, s.Cap()).Index(i).IsZero() {
					t.Errorf("%s still has what was at %d", name, i)
					break
				}
			}
		}
	}
}
