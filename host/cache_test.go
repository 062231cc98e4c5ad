package host

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// countingModule is a module that counts its calls and objects.
type countingModule struct {
	*funcModule
	calls, objects atomic.Int64
}

func (m *countingModule) Convert(ctx context.Context, from, to string, objects [][]byte) ([][]byte, map[int]string, error) {
	m.calls.Add(1)
	m.objects.Add(int64(len(objects)))
	return m.funcModule.Convert(ctx, from, to, objects)
}

// relabeling answers with the object's own bytes but for the version, as a copy.
func relabeling() *countingModule {
	return &countingModule{funcModule: &funcModule{File: "CronTab.stable.example.com_v1_v2.wasm", One: func(from, to string, o []byte) ([]byte, string) {
		return []byte(strings.Replace(string(o), from, to, 1)), ""
	}}}
}

func cached(m Module, size int64, more ...Edge) (*Converter, *Cache) {
	cache := NewCache(size)
	routes := NewRoutes(append([]Edge{{"stable.example.com", "CronTab", "v1", "v2", m, nil}}, more...))
	cache.Keep(routes)
	return newConverter(ConverterConfig{Modules: &fixedModules{routes: routes}, Cache: cache}), cache
}

// underWay is how many flights have not landed.
func (c *Cache) underWay() (n int) {
	for i := range c.shards {
		n += len(c.shards[i].flights)
	}
	return n
}

func cronNamed(name, rest string) string {
	return fmt.Sprintf(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":%q%s},"spec":{"cronSpec":"* * * * *"}}`, name, rest)
}

func reviewFor(objects ...string) []byte {
	return []byte(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"stable.example.com/v2","objects":[` +
		strings.Join(objects, ",") + `]}}`)
}

func ask(t *testing.T, c *Converter, objects ...string) (string, Outcome) {
	t.Helper()
	answer, outcome, err := c.Review(context.Background(), reviewFor(objects...))
	if err != nil {
		t.Fatal(err)
	}
	return string(answer), outcome
}

// TestCacheAnswersAlike holds every answer with a cache to the answer without: the first, the
// repeated, and those whose bookkeeping changed.
func TestCacheAnswersAlike(t *testing.T) {
	m := relabeling()
	c, cache := cached(m, 1<<20)
	plain := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes([]Edge{{"stable.example.com", "CronTab", "v1", "v2", m.funcModule, nil}})}})
	a, b := cronNamed("a", ""), cronNamed("b", `,"labels":{"x":"y"}`)
	for i, objects := range [][]string{
		{a}, {a}, {a, b}, {b, a, a, b},
		{cronNamed("a", `,"resourceVersion":"7","managedFields":[{"manager":"m"}]`)},
		{cronNamed("a", `,"resourceVersion":"8"`), a},
		{strings.Replace(a, "* * * * *", "1 * * * *", 1)},
	} {
		got, outcome := ask(t, c, objects...)
		want, _ := ask(t, plain, objects...)
		if outcome.Failure != "" || got != want {
			t.Errorf("review %d: %+v\ngot  %s\nwant %s", i, outcome, got, want)
		}
	}
	if n := m.objects.Load(); n != 3 { // a, b, and the last
		t.Errorf("the module was asked for %d objects", n)
	}
	// Beside the three outputs, the answers to the two reviews of one object that the cache
	// answered.
	if u := cache.Stats(); u.Hits != 9 || u.Misses != 3 || u.Joined != 0 || u.Entries != 5 || u.Bytes == 0 || u.Limit != 1<<20 {
		t.Errorf("%+v", u)
	}
}

func TestCacheKeepsApart(t *testing.T) {
	m, back := relabeling(), relabeling()
	back.File = "CronTab.stable.example.com_v2_to_v1.wasm"
	c, cache := cached(m, 1<<20, Edge{"stable.example.com", "CronTab", "v1", "v3", m, nil}, Edge{"stable.example.com", "CronTab", "v2", "v1", back, nil})
	a := cronNamed("a", "")
	ask(t, c, a)
	if got, _, err := c.Review(context.Background(), []byte(strings.Replace(string(reviewFor(a)), "example.com/v2", "example.com/v3", 1))); err != nil || !strings.Contains(string(got), `"stable.example.com/v3"`) {
		t.Errorf("to another version: %s, %v", got, err)
	}
	cache.Keep(NewRoutes([]Edge{{"stable.example.com", "CronTab", "v1", "v2", m, nil}}))
	if u := cache.Stats(); u.Entries != 2 {
		t.Errorf("of a module that goes on serving: %+v", u)
	}
	// Outputs of modules that no longer serve are evicted, and their new outputs are not stored.
	newer := relabeling()
	cache.Keep(NewRoutes([]Edge{{"stable.example.com", "CronTab", "v1", "v2", newer, nil}}))
	if u := cache.Stats(); u.Entries != 0 || u.Bytes != 0 {
		t.Errorf("after the swap: %+v", u)
	}
	ask(t, c, a)
	if u := cache.Stats(); u.Entries != 0 {
		t.Errorf("a review with the old routes fills the cache: %+v", u)
	}
}

// TestCacheWithoutRoomOrRoutes: without room there is no cache, and without routes it keeps
// nothing.
func TestCacheWithoutRoomOrRoutes(t *testing.T) {
	if NewCache(0) != nil || NewCache(-1) != nil {
		t.Error("a cache without room is one")
	}
	NewCache(0).Keep(NewRoutes(nil)) // does nothing
	c, cache := cached(relabeling(), 1<<20)
	ask(t, c, cronNamed("a", ""))
	cache.Keep(nil)
	if u := cache.Stats(); u.Entries != 0 {
		t.Errorf("without routes: %+v", u)
	}
}

// TestCacheStopsStoringBeforeItSweeps: an output of a module that serves no longer, which arrives while
// Keep drops the older ones, is not stored in a part that Keep has left already.
func TestCacheStopsStoringBeforeItSweeps(t *testing.T) {
	cache := NewCache(1 << 20)
	next := NewRoutes(nil)
	kept := make(chan struct{})
	cache.shards[0].mu.Lock()
	go func() { // ends when the lock does
		defer close(kept)
		cache.Keep(next)
	}()
	eventually.True(t, "the next routes to be known before the sweep", func() bool {
		now := cache.serving.Load()
		return now != nil && now.routes == next
	})
	cache.shards[0].mu.Unlock()
	<-kept
}

// TestCacheKeepsNoFailures: neither refusals nor faults nor broken contracts are kept, and a
// module's second answer counts.
func TestCacheKeepsNoFailures(t *testing.T) {
	m := relabeling()
	one := m.One
	c, cache := cached(m, 1<<20)
	for _, failing := range []struct {
		name string
		one  func(from, to string, o []byte) ([]byte, string)
		all  func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error)
		want string
	}{
		{"refusal", func(string, string, []byte) ([]byte, string) { return nil, "no" }, nil, FailureRefused},
		{"contract", func(string, string, []byte) ([]byte, string) { return []byte(`{"kind":"Other"}`), "" }, nil, FailureContract},
		{"fault", nil, func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
			return nil, nil, crontabs.Fault(faults.Trap, "trap")
		}, faults.Trap},
		{"too few", nil, func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
			return [][]byte{}, nil, nil
		}, FailureContract},
	} {
		m.One, m.All = failing.one, failing.all
		if _, outcome := ask(t, c, cronNamed(failing.name, ""), cronNamed("other", "")); outcome.Failure != failing.want {
			t.Errorf("%s: %+v", failing.name, outcome)
		}
		m.One, m.All = one, nil
		if answer, outcome := ask(t, c, cronNamed(failing.name, "")); outcome.Failure != "" {
			t.Errorf("%s, mended: %s", failing.name, answer)
		}
	}
	if u := cache.Stats(); u.Entries != 4 || cache.underWay() != 0 {
		t.Errorf("%+v, and %d conversions under way", u, cache.underWay())
	}
}

// TestCacheIsBounded: the cache evicts the least recently used entries, and does not store an
// output that would empty it.
func TestCacheIsBounded(t *testing.T) {
	m := relabeling()
	c, cache := cached(m, 64<<10)
	for i := range 1000 {
		ask(t, c, cronNamed(fmt.Sprint("o", i), ""))
		ask(t, c, cronNamed("often", ""))
	}
	u := cache.Stats()
	if u.Bytes > 64<<10 || u.Entries < 30 || u.Evicted == 0 || u.Entries+int(u.Evicted) != int(u.Misses)+1 { // and the answer to the repeated review
		t.Errorf("%+v", u)
	}
	if n := m.objects.Load(); n != 1001 {
		t.Errorf("what is asked for often did not stay: %d objects", n)
	}
	if ask(t, c, cronNamed("o999", "")); m.objects.Load() != 1001 {
		t.Error("the newest answer had to go, and not the oldest")
	}
	before := cache.Stats().Entries
	ask(t, c, cronNamed("large", `,"annotations":{"a":"`+strings.Repeat("x", 1500)+`"}`))
	if after := cache.Stats(); after.Entries != before {
		t.Errorf("an entry of more than a quarter of a shard was stored: %+v", after)
	}
	held := 0
	for i := range cache.shards {
		s := &cache.shards[i]
		if s.oldest == nil {
			continue
		}
		for e, n := s.oldest, 0; n == 0 || e != s.oldest; e, n = e.next, n+1 {
			held++
			if s.entries[e.hash] != e || e.next.prev != e {
				t.Fatal("the ring and the map differ")
			}
		}
	}
	if held != before {
		t.Errorf("%d entries in the rings, %d in the maps", held, before)
	}
}

// TestCacheJoins has reviews of one conversion that come at once converted once; when the first
// comes to nothing, the others convert for themselves.
func TestCacheJoins(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprintf("first fails: %v", fails), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := relabeling()
				c, cache := cached(m, 1<<20)
				began, goOn := make(chan struct{}, 100), make(chan struct{})
				m.All = func(_ context.Context, from, to string, objects [][]byte) ([][]byte, map[int]string, error) {
					first := m.calls.Load() == 1
					began <- struct{}{}
					if first {
						<-goOn
						if fails {
							return nil, nil, errors.New("broken")
						}
					}
					answer, _ := m.One(from, to, objects[0])
					return [][]byte{answer}, nil, nil
				}
				var wg sync.WaitGroup
				var failed atomic.Int64
				convert := func() {
					defer wg.Done()
					if _, outcome, _ := c.Review(context.Background(), reviewFor(cronNamed("a", ""))); outcome.Failure != "" {
						failed.Add(1)
					}
				}
				wg.Add(1)
				go convert()
				<-began
				const others = 5
				wg.Add(others)
				for range others {
					go convert()
				}
				if synctest.Wait(); cache.Stats().Joined != others {
					t.Errorf("not all wait: %+v", cache.Stats())
				}
				close(goOn)
				wg.Wait()
				wantCalls, wantFailed := int64(1), int64(0)
				if fails {
					wantCalls, wantFailed = 1+others, 1
				}
				if m.calls.Load() != wantCalls || failed.Load() != wantFailed {
					t.Errorf("%d calls, %d failed; want %d and %d", m.calls.Load(), failed.Load(), wantCalls, wantFailed)
				}
			})
		})
	}
}

// TestCachePanic: nobody keeps waiting for a module that panicked.
func TestCachePanic(t *testing.T) {
	m := relabeling()
	one := m.One
	c, _ := cached(m, 1<<20)
	m.One = func(string, string, []byte) ([]byte, string) { panic("boom") }
	func() {
		defer func() { _ = recover() }()
		ask(t, c, cronNamed("a", ""))
	}()
	m.One = one
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, outcome, err := c.Review(ctx, reviewFor(cronNamed("a", ""))); err != nil || outcome.Failure != "" {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// TestCacheUnderLoad hammers a small cache from all sides, for the race detector.
func TestCacheUnderLoad(t *testing.T) {
	m := relabeling()
	c, cache := cached(m, 32<<10)
	routes := NewRoutes([]Edge{{"stable.example.com", "CronTab", "v1", "v2", m, nil}})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 300 {
				a, b := fmt.Sprint("o", (i*7+g)%60), fmt.Sprint("o", i%50)
				got, outcome := ask(t, c, cronNamed(a, ""), cronNamed(b, ""), cronNamed(a, ""))
				if outcome.Failure != "" || strings.Count(got, `"name":"`+a+`"`) < 2 || !strings.Contains(got, `"name":"`+b+`"`) {
					t.Errorf("%+v: %s", outcome, got)
				}
				if i%50 == 0 {
					cache.Keep(routes)
				}
			}
		})
	}
	wg.Wait()
	if u := cache.Stats(); u.Bytes > 32<<10 {
		t.Errorf("%+v", u)
	}
}

// TestCacheDropsWhatItEvicts: an output that left the cache leaves memory too, although others of
// its batch are kept.
func TestCacheDropsWhatItEvicts(t *testing.T) {
	const size, objects, output = 8 << 20, 200, 200 << 10 // 40 MB in one batch
	pad := strings.Repeat("x", output)
	m := &countingModule{funcModule: &funcModule{File: "CronTab.stable.example.com_v1_v2.wasm", One: func(_, to string, _ []byte) ([]byte, string) {
		return []byte(`{"apiVersion":"` + to + `","kind":"CronTab","spec":"` + pad + `"}`), ""
	}}}
	c, cache := cached(m, size)
	names := make([]string, objects)
	for i := range names {
		names[i] = cronNamed(fmt.Sprint(i), "")
	}
	held := func() int {
		for range 3 { // pools keep what they have for two collections
			runtime.GC()
		}
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return int(stats.HeapAlloc)
	}
	before := held()
	if _, outcome := ask(t, c, names...); outcome.Failure != "" {
		t.Fatal(outcome.Message)
	}
	took := held() - before
	if used := cache.Stats(); took > 2*size || used.Entries == 0 || used.Evicted == 0 {
		t.Errorf("the cache has %d entries of %d bytes and evicted %d, and takes %d bytes", used.Entries, used.Bytes, used.Evicted, took)
	}
}
