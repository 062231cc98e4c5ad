package host

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
)

// TestCacheComparesTheWholeKey: an output, or a conversion in flight, belongs to one module, one
// version and one view, even if hashes are equal.
func TestCacheComparesTheWholeKey(t *testing.T) {
	module, other := relabeling(), relabeling()
	known, view := hop{module: module, to: "g/v2", label: "K.g from v1 to v2"}, `{"a":1}`
	for _, collide := range []bool{false, true} {
		for _, test := range []struct {
			name string
			h    hop
			view string
			same bool
		}{
			{"the same", known, view, true},
			{"another module", hop{module: other, to: known.to, label: known.label}, view, false},
			{"another version", hop{module: module, to: "g/v3", label: known.label}, view, false},
			{"another view", known, `{"a":2}`, false},
			{"a longer view", known, view + " ", false},
		} {
			t.Run(fmt.Sprintf("%s, collide %v", test.name, collide), func(t *testing.T) {
				c := NewCache(1 << 20)
				c.collide = collide
				_, leader, lead := c.find(&known, []byte(view))
				if leader == nil || !lead {
					t.Fatal("the first to ask does not convert")
				}
				_, f, lead := c.find(&test.h, []byte(test.view))
				if joined := f == leader && !lead; joined != test.same {
					t.Errorf("joins the conversion under way: %v", joined)
				}
				if f != nil && f != leader {
					c.land(f, nil)
				}
				c.land(leader, &cacheEntry{hash: leader.hash, module: module, to: known.to, input: []byte(view), output: []byte("x")})
				e, f, _ := c.find(&test.h, []byte(test.view))
				if hit := e != nil; hit != test.same {
					t.Errorf("takes the answer: %v", hit)
				}
				if f != nil {
					c.land(f, nil)
				}
				if n := c.underWay(); n != 0 {
					t.Errorf("%d conversions are under way for ever", n)
				}
			})
		}
	}
}

// TestCacheCollisions gives every view the same hash, and uses objects that differ in the declared
// fields: none gets the output of another.
func TestCacheCollisions(t *testing.T) {
	m := relabeling()
	c, cache := cached(m, 1<<20)
	cache.collide = true
	object := func(name, spec string) string { return strings.Replace(cronNamed(name, ""), "* * * * *", spec, 1) }
	for range 3 {
		for i := range 5 {
			first, second := fmt.Sprintf("%d * * * *", i), fmt.Sprintf("* %d * * *", i)
			got, outcome := ask(t, c, object("a", first), object("a", second))
			if i, j := strings.Index(got, first), strings.Index(got, second); outcome.Failure != "" || i < 0 || j < i {
				t.Fatalf("%+v: %s", outcome, got)
			}
		}
	}
	if u := cache.Stats(); u.Entries != 1 || cache.underWay() != 0 || u.Hits+u.Misses != 30 {
		t.Errorf("%+v, and %d conversions under way", u, cache.underWay())
	}
	s := cache.shard(0)
	if e := s.oldest; e == nil || e.next != e || e.prev != e || s.used != e.size() || s.entries[0] != e {
		t.Errorf("the ring and the map differ: %+v", e)
	}
}

// TestCacheOwnsItsBytes: neither the body of the review that an answer was made for, nor the memory
// of the module that made it, is looked at once the review is answered. Both are written over.
func TestCacheOwnsItsBytes(t *testing.T) {
	const labels = `,"labels":{"a":"b"},"annotations":{"c":"d"}`
	for _, test := range []struct{ name, answer string }{
		{"as it was", ""},
		{"without metadata", `{"spec":{"a":1}}`},
		{"with labels of its own", `{"metadata":{"labels":{"x":"y"}},"spec":{"a":1}}`},
		{"with metadata that is put back", `{"metadata":{"name":"a","generation":7,"labels":{"a":"b"}},"spec":{"a":1}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := relabeling()
			relabel := m.One
			var memory []byte
			m.One = func(from, to string, o []byte) ([]byte, string) {
				answer := []byte(test.answer)
				if test.answer == "" {
					answer, _ = relabel(from, to, o)
				}
				memory = append(memory[:0], answer...)
				return memory, ""
			}
			c, cache := cached(m, 1<<20)
			want := ""
			for i := range 3 {
				body := reviewFor(cronNamed("a", labels))
				got, outcome, err := c.Review(context.Background(), body)
				if err != nil || outcome.Failure != "" {
					t.Fatal(outcome, err)
				}
				if i == 0 {
					want = string(got)
				} else if string(got) != want {
					t.Errorf("the answer became\n%s, and was\n%s", got, want)
				}
				copy(body, bytes.Repeat([]byte("#"), len(body)))
				copy(memory, bytes.Repeat([]byte("#"), len(memory)))
			}
			if u := cache.Stats(); m.calls.Load() != 1 || u.Hits != 2 {
				t.Errorf("the module was called %d times: %+v", m.calls.Load(), u)
			}
		})
	}
}

// TestCacheRefusalBesideAnAnswer: a refusal counts though the module answered the object too, and
// nothing of either is kept.
// TestCacheFaultBesideAnAnswer: a module that fails at an object says at which of those that it was
// given; the message names it by its place in the review, of which the cache answered a part.
func TestCacheFaultBesideAnAnswer(t *testing.T) {
	m := relabeling()
	c, _ := cached(m, 1<<20)
	if _, outcome := ask(t, c, cronNamed("a", "")); outcome.Failure != "" {
		t.Fatal(outcome)
	}
	m.All = func(_ context.Context, _, _ string, objects [][]byte) ([][]byte, map[int]string, error) {
		return nil, nil, &objectError{crontabs.Fault(faults.Trap, "boom"), len(objects) - 1}
	}
	answer, outcome := ask(t, c, cronNamed("a", ""), cronNamed("b", ""), cronNamed("c", ""))
	if outcome.Failure != faults.Trap || !strings.Contains(answer, "cannot convert object 2 (c) of") {
		t.Errorf("%+v: %s", outcome, answer)
	}
}

func TestCacheRefusalBesideAnAnswer(t *testing.T) {
	for _, room := range []int64{1 << 20, 0} {
		t.Run(fmt.Sprintf("a cache of %d bytes", room), func(t *testing.T) {
			m := relabeling()
			m.All = func(_ context.Context, from, to string, objects [][]byte) ([][]byte, map[int]string, error) {
				answers := make([][]byte, len(objects))
				for i := range objects {
					answers[i], _ = m.One(from, to, objects[i])
				}
				return answers, map[int]string{len(objects) - 1: "not this one"}, nil
			}
			c, cache := cached(m, room)
			for range 2 {
				answer, outcome := ask(t, c, cronNamed("a", ""), cronNamed("b", ""))
				if outcome.Failure != FailureRefused || !strings.Contains(answer, "object 1 (b)") || !strings.Contains(answer, "not this one") {
					t.Errorf("%+v: %s", outcome, answer)
				}
			}
			if cache == nil {
				return
			}
			if u := cache.Stats(); u.Entries != 0 || u.Hits != 0 || cache.underWay() != 0 {
				t.Errorf("%+v", u)
			}
		})
	}
}

// TestCacheOnLaterHops: an answer that was made for a first hop is checked again on a later one,
// where the labels are those that an earlier module made; and one that was made there is checked on
// a first. Their hashes differ, but for a collision.
func TestCacheOnLaterHops(t *testing.T) {
	first := &countingModule{funcModule: &funcModule{File: "first.wasm", One: func(_, _ string, view []byte) ([]byte, string) {
		return []byte(`{"metadata":{"labels":{"by":"first"},"generation":9},"spec":{"cronSpec":"* * * * *"}}`), ""
	}}}
	second := &countingModule{funcModule: &funcModule{File: "second.wasm", One: func(_, _ string, view []byte) ([]byte, string) {
		return []byte(`{"spec":{"by":"second"}}`), "" // says nothing of the metadata: it stays as it is
	}}}
	list := append(edges(first.funcModule, "v0→v1"), edges(second.funcModule, "v1→v2")...)
	for i, m := range []*countingModule{first, second} {
		list[i].Module = m
	}
	chained := strings.Replace(cronNamed("a", `,"generation":7,"labels":{"by":"request"}`), "/v1", "/v0", 1)
	// The second module's view of that equals this object, which the review has too.
	direct := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a","generation":7,"labels":{"by":"first"}},"spec":{"cronSpec":"* * * * *"}}`
	plain := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(list)}})
	for _, order := range [][]string{{chained, direct, chained, direct}, {direct, chained, direct, chained}} {
		cache := NewCache(1 << 20)
		cache.collide = true
		routes := NewRoutes(list)
		cache.Keep(NewRoutes(list[1:])) // the cache has one entry, for the second module
		c := newConverter(ConverterConfig{Modules: &fixedModules{routes: routes}, Cache: cache})
		for i, object := range order {
			got, outcome := ask(t, c, object)
			want, wanted := ask(t, plain, object)
			if outcome.Failure != "" || got != want || outcome.Restored != wanted.Restored {
				t.Errorf("review %d: %+v, want %+v\ngot  %s\nwant %s", i, outcome, wanted, got, want)
			}
		}
		if u := cache.Stats(); u.Hits != 3 { // all but the first review take the second module's answer
			t.Errorf("%+v: the test has shown nothing", u)
		}
	}
}

// TestCacheOfDeclaredFields: two objects with the same view keep their undeclared fields.
func TestCacheOfDeclaredFields(t *testing.T) {
	m := &countingModule{funcModule: &funcModule{Paths: []string{"spec.cronSpec"}, One: func(_, _ string, _ []byte) ([]byte, string) {
		return []byte(`{"spec":{"cronSpec":"1 * * * *"}}`), ""
	}, File: cronFile}}
	c, _ := cached(m, 1<<20)
	for i := range 4 {
		name := fmt.Sprint("o", i%2)
		got, outcome := ask(t, c, cronNamed(name, `,"labels":{"l":"`+name+`"}`))
		want := strings.Replace(strings.Replace(cronNamed(name, `,"labels":{"l":"`+name+`"}`), "/v1", "/v2", 1), "* * * * *", "1 * * * *", 1)
		if outcome.Failure != "" || !strings.Contains(got, want) {
			t.Errorf("%+v\ngot  %s\nwant %s", outcome, got, want)
		}
	}
	if n := m.calls.Load(); n != 1 {
		t.Errorf("the module was called %d times for one view", n)
	}
}

// TestCacheKnownAnswersCount: answers from the cache count towards the largest answer to a review,
// as if the module had given them now.
func TestCacheKnownAnswersCount(t *testing.T) {
	m := relabeling()
	routes := NewRoutes([]Edge{{"stable.example.com", "CronTab", "v1", "v2", m, nil}})
	c := newConverter(ConverterConfig{Modules: &fixedModules{routes: routes}, Cache: NewCache(1 << 20), Limits: Limits{ReplyBytes: 1000}})
	a := cronNamed("a", "")
	if _, outcome := ask(t, c, a); outcome.Failure != "" {
		t.Fatal(outcome)
	}
	objects := make([]string, 20) // some 2 KB
	for i := range objects {
		objects[i] = a
	}
	if _, outcome := ask(t, c, objects...); outcome.Failure != faults.Output || m.calls.Load() != 1 || !strings.Contains(outcome.Message, "its answers exceed the limit of 1000 bytes") {
		t.Errorf("%+v, %d calls", outcome, m.calls.Load())
	}
}

// TestCacheSizeCountsAll: an entry counts with its bytes and its overhead, so that many small
// outputs do not exceed the size of the cache.
func TestCacheSizeCountsAll(t *testing.T) {
	e := &cacheEntry{input: make([]byte, 100), output: make([]byte, 200)}
	if got := e.size(); got != 300+cacheOverhead {
		t.Errorf("%d bytes", got)
	}
}
