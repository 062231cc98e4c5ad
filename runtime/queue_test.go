package runtime

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// limitsOfTest are a first try of 5 s, and 20 s, 80 s and no limit for the next ones.
func limitOfTest(_, overran int) time.Duration {
	if overran > 2 {
		return 0
	}
	return 5 * time.Second << (2 * overran)
}

func testQueue(most int, first ...artifact.Edge) *queue {
	return newQueue(first, limitOfTest, &journal{slog.New(slog.DiscardHandler), newMetrics(prometheus.NewRegistry(), func() bool { return false })}, most)
}

// jobOf is new content of so many bytes.
func jobOf(t testing.TB, base string, size int) *job {
	t.Helper()
	name, err := artifact.ParseName(base + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	return &job{name: name, file: watch.File{Name: name.File, Size: size, Sum: sha256.Sum256([]byte(base))}}
}

// The most urgent files are loaded first: kinds that the operator names, then kinds that serve, then
// kinds that reviews request, then small before large files.
func TestOrderOfLoading(t *testing.T) {
	q := testQueue(1, artifact.Edge{Group: "g", Kind: "First", From: "v1", To: "v2"})
	var jobs []*job
	for base, n := range map[string]int{"Large.g_v1_v2": 9, "Small.g_v1_v2": 1, "Small.g_v2_v3": 2, "First.g_v1_v2": 8, "First.g_v2_v3": 7, "Asked.g_v1_v2": 6, "Other.g_v1_v2": 1, "Serves.g_v1_v2": 9} {
		jobs = append(jobs, jobOf(t, base, n))
	}
	q.update(nil, jobs, map[string]bool{"Serves.g": true})
	var order []string
	for range jobs {
		j, _, end := q.next(t.Context())
		order = append(order, j.name.Base)
		for _, done := range q.finish(j, nil, errors.New("bad"), end(), nil) {
			q.claim(done)
		}
		if len(order) == 4 { // a review requests it while others load
			q.want("g", "Asked")
			q.want("g", "Nobody")
		}
	}
	want := []string{"First.g_v2_v3", "First.g_v1_v2", "Serves.g_v1_v2", "Other.g_v1_v2", "Asked.g_v1_v2", "Small.g_v1_v2", "Small.g_v2_v3", "Large.g_v1_v2"}
	if !slices.Equal(order, want) {
		t.Errorf("loaded in the order\n%q, want\n%q", order, want)
	}
	if n := q.waiting(); n != 0 {
		t.Errorf("%d wait", n)
	}
}

// loads runs the workers of a queue in a synctest bubble: each job takes the time of its kind, 100 ms
// without one. It returns when each base was loaded, as soon as all of those wanted are.
func loads(t *testing.T, q *queue, takes map[string]time.Duration, wanted ...string) map[string]time.Duration {
	t.Helper()
	began, loaded := time.Now(), map[string]time.Duration{}
	var mu sync.Mutex
	ctx, cancel := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	for range q.most + 1 {
		workers.Go(func() { // ends with ctx
			for j, tried, end := q.next(ctx); j != nil; j, tried, end = q.next(ctx) {
				load.StartTry(tried)
				var m *module.Module
				var err error
				select {
				case <-time.After(cmp.Or(takes[j.name.Kind], 100*time.Millisecond)):
					m = &module.Module{}
				case <-tried.Done():
					err = tried.Err()
				}
				for _, done := range q.finish(j, m, err, end(), context.Cause(tried)) {
					if q.claim(done) {
						mu.Lock()
						loaded[done.name.Base] = time.Since(began)
						mu.Unlock()
					}
				}
			}
		})
	}
	for range 3600 {
		mu.Lock()
		missing := slices.ContainsFunc(wanted, func(base string) bool { return loaded[base] == 0 })
		mu.Unlock()
		if !missing {
			break
		}
		time.Sleep(time.Second)
	}
	cancel()
	workers.Wait()
	return loaded
}

// TestKindsTakeTurnsW18: a kind with a hundred slow files delays another kind by one first try, and
// eight such kinds by one first try each; a kind that serves is not delayed at all.
func TestKindsTakeTurnsW18(t *testing.T) {
	for _, tc := range []struct {
		name        string
		kinds, each int
		serves      bool
		asked       bool // by a review
		most        time.Duration
	}{
		{"a hundred files of one kind", 1, 100, false, false, 6 * time.Second},
		{"a file of each of eight kinds", 8, 1, false, false, 41 * time.Second},
		{"sixty files of each of eight kinds", 8, 60, false, false, 42 * time.Second},
		{"beside a kind that serves", 8, 60, true, false, time.Second},
		{"a file of each of 200 kinds that nobody asks for", 200, 1, false, true, time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, takes := testQueue(1), map[string]time.Duration{}
				jobs := []*job{jobOf(t, "Good.g_v1_v2", 1000), jobOf(t, "Good.g_v2_v3", 1000)} // the largest files
				for kind := range tc.kinds {
					takes[fmt.Sprintf("Slow%d", kind)] = time.Hour
					for i := range tc.each {
						jobs = append(jobs, jobOf(t, fmt.Sprintf("Slow%d.g_v%d_v%d", kind, i+1, i+2), 1))
					}
				}
				q.update(nil, jobs, map[string]bool{"Good.g": tc.serves})
				if tc.asked {
					q.want("g", "Good")
				}
				loaded := loads(t, q, takes, "Good.g_v1_v2", "Good.g_v2_v3")
				if got := loaded["Good.g_v2_v3"]; got == 0 || got > tc.most {
					t.Errorf("the good kind serves after %v, want at most %v", got, tc.most)
				}
			})
		})
	}
}

// TestOwnersTakeTurnsW22: owners with many slow files, of as many kinds, delay another owner by one
// first try each. Without owners, each of these kinds would have a turn of its own.
func TestOwnersTakeTurnsW22(t *testing.T) {
	for owners := 1; owners <= 4; owners++ {
		synctest.Test(t, func(t *testing.T) {
			q, takes := testQueue(1), map[string]time.Duration{}
			owned := func(owner, base string, size int) *job {
				j := jobOf(t, base, size)
				j.name.Owner, j.name.File, j.name.Base = owner, owner+"/"+j.name.File, owner+"/"+j.name.Base
				return j
			}
			var jobs []*job
			for i := range 20 { // the largest files, all new
				jobs = append(jobs, owned("good", fmt.Sprintf("Good%d.g_v1_v2", i), 1000))
			}
			serving := map[string]bool{}
			for owner := range owners {
				for i := range 60 {
					kind := fmt.Sprintf("Slow%dx%d", owner, i)
					takes[kind], serving[kind+".g"] = time.Hour, true // which would go first within one owner
					jobs = append(jobs, owned(fmt.Sprintf("bad%d", owner), kind+".g_v1_v2", 1))
				}
			}
			q.update(nil, jobs, serving)
			const last = "good/Good19.g_v1_v2"
			loaded := loads(t, q, takes, last)
			if got, most := loaded[last], time.Duration(owners)*5*time.Second+3*time.Second; got == 0 || got > most {
				t.Errorf("beside %d owners with slow files, all files of the good one serve after %v, want at most %v", owners, got, most)
			}
		})
	}
}

// TestOwnersHaveBudgetsAtTheStartW22: the files of one of several owners are waited for until its first
// tries, or its part of those that gave no module, have used up the budget, and no longer. Nothing
// that another owner uses shortens that. Of an only owner, files that load are waited for to the last.
func TestOwnersHaveBudgetsAtTheStartW22(t *testing.T) {
	const budget = 20 * time.Second
	for _, tc := range []struct {
		name        string
		owners      int
		spent, lost time.Duration // of the owner bad
		waits       bool
	}{
		{"nothing spent", 2, 0, 0, true},
		{"modules that load, for less than the budget", 2, budget - 1, 0, true},
		{"modules that load, for the whole budget", 2, budget, 0, false},
		{"files that do not load, for less than a part", 2, budget/2 - 1, budget/2 - 1, true},
		{"files that do not load, for a part", 2, budget / 2, budget / 2, false},
		{"files that do not load, for one try of fifty owners", 50, budget / 4, budget / 4, false},
		{"an only owner", 1, 10 * budget, 9 * budget, true},
	} {
		q := testQueue(1)
		q.owners = tc.owners
		add := func(owner, base string) {
			j := jobOf(t, base, 1)
			j.name.Owner = owner
			q.update(nil, []*job{j}, nil)
		}
		add("bad", "K.g_v1_v2")
		q.spent["bad"], q.lost["bad"] = tc.spent, tc.lost
		if got := q.untried("", budget); got != tc.waits {
			t.Errorf("%s: its files are waited for: %v", tc.name, got)
		}
		if tc.owners == 1 {
			continue
		}
		add("good", "L.g_v1_v2")
		q.wasted = 10 * budget // by the bad owner
		if !q.untried("", budget) || !q.untried("L.g_v1_v2", budget) || q.untried("K.g_v1_v2", budget) != tc.waits {
			t.Errorf("%s: the files of another owner are not waited for", tc.name)
		}
	}
}

// TestReadinessBudgetOfAnOnlyOwnerW18: one first try of each kind is waited for, until those that overran
// have used up the budget. Otherwise kinds that somebody makes up would keep a gateway from readiness.
func TestReadinessBudgetOfAnOnlyOwnerW18(t *testing.T) {
	q, overran := testQueue(1), 0
	var jobs []*job
	for i := range 100 {
		jobs = append(jobs, jobOf(t, fmt.Sprintf("Slow%d.g_v1_v2", i), 1), jobOf(t, fmt.Sprintf("Slow%d.g_v2_v3", i), 1))
	}
	q.update(nil, jobs, nil)
	for q.untried("", 20*time.Second) && overran < len(jobs) {
		j, tried, end := q.next(t.Context())
		if got, want := load.TryProcessor(tried), load.FirstTry(j.file.Size); got != want {
			t.Fatalf("a first try may take %v of processor time, want %v", got, want)
		}
		end()
		q.finish(j, nil, load.ErrOverran, 5*time.Second, load.ErrOverran)
		overran++
	}
	if overran != 4 {
		t.Errorf("the gateway waits for %d tries of 5 s, with a budget of 20 s", overran)
	}
}

// TestLostTriesAreCharged: a first try that gives no module counts as lost, whatever the reason.
func TestLostTriesAreCharged(t *testing.T) {
	q := testQueue(1)
	for i, err := range []error{nil, errors.New("bad")} {
		j := jobOf(t, fmt.Sprintf("K%d.g_v1_v2", i), 1)
		j.name.Owner = "a"
		q.update(nil, []*job{j}, nil)
		next, _, end := q.next(t.Context())
		end()
		q.finish(next, nil, err, time.Duration(2-i)*time.Second, nil)
	}
	if q.spent["a"] != 3*time.Second || q.lost["a"] != time.Second {
		t.Errorf("%v spent, %v of it lost", q.spent["a"], q.lost["a"])
	}
}

// TestSlowFileIsNotStarvedW18: a file that needs 30 s loads although there is new content every
// second, of one kind or of a new kind each time, which interrupts it at first.
func TestSlowFileIsNotStarvedW18(t *testing.T) {
	for _, base := range []string{"Busy.g_v1_v%d", "Busy%d.g_v1_v2"} {
		synctest.Test(t, func(t *testing.T) {
			q := testQueue(1)
			q.update(nil, []*job{jobOf(t, "Large.g_v1_v2", 1000)}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			var busy sync.WaitGroup
			busy.Go(func() { // ends with ctx
				for i := 2; ctx.Err() == nil; i++ {
					q.update(nil, []*job{jobOf(t, fmt.Sprintf(base, i), 1)}, nil)
					time.Sleep(time.Second)
				}
			})
			loaded := loads(t, q, map[string]time.Duration{"Large": 30 * time.Second}, "Large.g_v1_v2")
			cancel()
			busy.Wait()
			if got := loaded["Large.g_v1_v2"]; got == 0 || got > 10*time.Minute {
				t.Errorf("beside %s it serves after %v", base, got)
			}
		})
	}
}

// At the start a kind serves as soon as its modules are loaded, before those of other kinds are,
// and never with a part of them: each set has all of a kind's conversions or none.
func TestServingBeginsKindByKind(t *testing.T) {
	f := &following{t: t, dir: t.TempDir()}
	kinds := []string{"A", "B", "C", "D"}
	for _, kind := range kinds {
		f.put(kind+".g_v1_v2.wasm", "good_echo")
		f.put(kind+".g_v2_v3.wasm", "good_echo")
		f.put(kind+".g_v1_v3.wasm", "good_echo")
	}
	f.put("D.g_v3_v4.wasm", "no module")                // refused, which ends the wait for it as well
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1)) // one loads them: of two, the one that was first to begin may be last to end
	var mu sync.Mutex
	var sets [][]string // the kinds of each set, with as many entries as there are edges
	readyAt := -1
	registry, err := New(Config{
		Dir: f.dir, Limits: smallLimits, Registerer: prometheus.NewRegistry(), Poll: time.Hour, First: []artifact.Edge{{Group: "g", Kind: "C", From: "v1", To: "v2"}},
		OnSet: func(s *Set) {
			mu.Lock()
			defer mu.Unlock()
			kinds := []string{}
			for _, b := range s.Bindings() {
				kinds = append(kinds, b.Kind)
			}
			sets = append(sets, kinds)
		},
		OnReady: func() {
			mu.Lock()
			defer mu.Unlock()
			readyAt = len(sets)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Registry = registry
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- registry.Run(ctx) }() // ends with cancel
	f.until("ready", registry.Ready)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if readyAt != len(sets) || len(sets) != 1+len(kinds) {
		t.Errorf("%d sets, ready after %d of them; want %d: %q", len(sets), readyAt, 1+len(kinds), sets)
	}
	for i, set := range sets {
		for _, kind := range kinds {
			if n := strings.Count(strings.Join(set, ""), kind); n != 0 && n != 6 {
				t.Errorf("set %d has %d of the six conversions of %s", i, n, kind)
			}
		}
	}
	if len(sets) > 1 && !slices.Contains(sets[1], "C") {
		t.Errorf("the first to serve is %q, not C, which was to be first", sets[1])
	}
}

// TestOwnerThatUsedLessPrecedes: between owners the time that they used decides, and urgency only
// if that is equal; within an owner urgency decides.
func TestOwnerThatUsedLessPrecedes(t *testing.T) {
	of := func(owner, base string) *job {
		j := jobOf(t, base, 1)
		j.name.Owner = owner
		return j
	}
	serves, new := of("a", "Serves.g_v1_v2"), of("b", "New.g_v1_v2")
	u := urgency{serving: map[string]bool{serves.kind(): true}}
	want := func(when string, first, second *job) {
		t.Helper()
		if !u.precedes(first, second) || u.precedes(second, first) {
			t.Errorf("%s: %s does not precede %s, or both precede each other", when, first.name.Base, second.name.Base)
		}
	}
	u.turns.Join("a", serves.kind())
	u.turns.Join("b", new.kind())
	want("equal use", serves, new)
	want("one owner", serves, of("a", "Other.g_v1_v2"))
	u.turns.Charge("a", serves.kind(), time.Second)
	want("a has used more", new, serves)
}

// TestLoadsAtOnce: as many files as configured load at a time, and one slow one beside them.
func TestLoadsAtOnce(t *testing.T) {
	q := testQueue(2)
	slow := jobOf(t, "Slow.g_v1_v2", 1)
	slow.overran = 1
	q.update(nil, []*job{jobOf(t, "A.g_v1_v2", 1), jobOf(t, "B.g_v1_v2", 1), jobOf(t, "C.g_v1_v2", 1), slow}, nil)
	var loading []string
	for {
		q.mu.Lock()
		more := q.pick() != nil
		q.mu.Unlock()
		if !more {
			break
		}
		j, _, _ := q.next(t.Context())
		loading = append(loading, j.name.Kind)
	}
	if slices.Sort(loading); !slices.Equal(loading, []string{"A", "B"}) && !slices.Equal(loading, []string{"A", "B", "Slow"}) {
		t.Errorf("%v load at once", loading)
	}
}

// TestNewContentInterruptsSlowTry: new content that is more urgent ends the second try of a slow file,
// which is not charged to its kind.
func TestNewContentInterruptsSlowTry(t *testing.T) {
	q := testQueue(1)
	q.update(nil, []*job{jobOf(t, "Slow.g_v1_v2", 1)}, nil)
	slow, _, end := q.next(t.Context())
	end()
	q.finish(slow, nil, load.ErrOverran, 5*time.Second, load.ErrOverran)
	slow, tried, end := q.next(t.Context())
	defer end()
	q.update(nil, []*job{jobOf(t, "New.g_v1_v2", 1)}, nil)
	if cause := context.Cause(tried); !errors.Is(cause, errPreempted) {
		t.Fatalf("the try of the slow file: %v", cause)
	}
	used := q.urgency.turns.Used("", "Slow.g")
	q.finish(slow, nil, errPreempted, time.Minute, errPreempted)
	if now := q.urgency.turns.Used("", "Slow.g"); now != used || slow.interrupted != 1 || slow.overran != 1 {
		t.Errorf("charged %v, interrupted %d times, overran %d times", now-used, slow.interrupted, slow.overran)
	}
}

// TestClaimOfReplacedContent: a result is claimed once, and not at all if newer content has taken the
// place of its own.
func TestClaimOfReplacedContent(t *testing.T) {
	q := testQueue(1)
	old, fresh := jobOf(t, "K.g_v1_v2", 1), jobOf(t, "K.g_v1_v2", 2)
	try := func(j *job) (done []*job) {
		next, _, end := q.next(t.Context())
		if next != j {
			t.Fatalf("the next job has %d bytes, want %d", next.file.Size, j.file.Size)
		}
		return q.finish(j, nil, errors.New("bad"), end(), nil)
	}
	q.update(nil, []*job{old}, nil)
	first := try(old)
	q.update(nil, []*job{fresh}, nil)
	if len(first) != 1 || q.claim(first[0]) {
		t.Fatal("the result of replaced content is claimed")
	}
	second := try(fresh)
	if len(second) != 1 || !q.claim(second[0]) || q.claim(second[0]) {
		t.Error("the result of new content is not claimed, or twice")
	}
	if len(q.jobs) != 0 {
		t.Errorf("%d jobs are left", len(q.jobs))
	}
}
