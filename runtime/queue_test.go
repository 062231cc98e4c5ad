package runtime

import (
	"context"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// The most urgent files are loaded first: kinds that the operator names, then kinds that reviews
// request, then small before large files.
func TestOrderOfLoading(t *testing.T) {
	r := &Registry{config: Config{First: []artifact.Edge{{Group: "g", Kind: "First", From: "v1", To: "v2"}}}, jobs: map[string]*job{}}
	size := map[string]int{"Large.g_v1_v2": 9, "Small.g_v1_v2": 1, "Small.g_v2_v3": 2, "First.g_v1_v2": 8, "First.g_v2_v3": 7, "Asked.g_v1_v2": 6, "Other.g_v1_v2": 1}
	for base, n := range size {
		name, err := artifact.ParseName(base + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		j := &job{name: name}
		j.file.Content = make([]byte, n)
		r.waiting, r.jobs[base] = append(r.waiting, j), j
	}
	var order []string
	for j := r.next(); j != nil; j = r.next() {
		order = append(order, j.name.Base)
		if len(order) == 3 { // a review requests it while others load
			r.Want("g", "Asked")
			r.Want("g", "Nobody")
		}
	}
	want := []string{"First.g_v2_v3", "First.g_v1_v2", "Other.g_v1_v2", "Asked.g_v1_v2", "Small.g_v1_v2", "Small.g_v2_v3", "Large.g_v1_v2"}
	if !slices.Equal(order, want) {
		t.Errorf("loaded in the order\n%q, want\n%q", order, want)
	}
	if n := r.Waiting(); n != 0 {
		t.Errorf("%d wait", n)
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
