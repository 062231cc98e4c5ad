package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// runRegistry runs a registry until the test ends.
func runRegistry(t *testing.T, config runtime.Config) *runtime.Registry {
	t.Helper()
	config.Quiet, config.MaxQuiet, config.Poll = 20*time.Millisecond, 100*time.Millisecond, 200*time.Millisecond
	r, err := runtime.New(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { // ends with ctx
		defer close(ended)
		_ = r.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return r
}

// seriesOf counts the series of a metric that have a label value.
func seriesOf(t *testing.T, from prometheus.Gatherer, metric, value string) (n int) {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != metric {
			continue
		}
		for _, series := range family.GetMetric() {
			for _, label := range series.GetLabel() {
				if label.GetValue() == value {
					n++
				}
			}
		}
	}
	return n
}

// TestPublish: the series of a published set exist before its first review, and the cache drops the
// outputs of modules that are not in the set.
func TestPublish(t *testing.T) {
	const file = "Widget.example.com_v1_v2.wasm"
	const review = `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"example.com/v2",` +
		`"objects":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"b","uid":"c"},"spec":{"from":"v1"}}]}}`
	dir, registerer := t.TempDir(), prometheus.NewRegistry()
	copyTo(t, "testdata/one.wasm", filepath.Join(dir, file))
	metrics, cache, current := serve.NewMetrics(registerer), host.NewCache(1<<20), &host.Sets{}
	var mu sync.Mutex
	var published string // the digest of the module that serves
	serves := func() string { mu.Lock(); defer mu.Unlock(); return published }
	runRegistry(t, runtime.Config{Dir: dir, Registerer: registerer, OnSet: func(set *runtime.Set) {
		publish(current, set, metrics, cache)
		mu.Lock()
		defer mu.Unlock()
		for _, b := range set.Bindings() {
			published = b.Module.Digest()
		}
	}})
	eventually.True(t, "the module to serve", func() bool { return serves() != "" })
	if n := seriesOf(t, registerer, "crosswalk_reviews_total", "Widget.example.com"); n != 4 {
		t.Errorf("before the first review, %d series of two conversions with two results each", n)
	}
	converter, err := host.NewConverter(host.ConverterConfig{Modules: current, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	if _, outcome, err := converter.Review(t.Context(), []byte(review)); err != nil || outcome.Failure != "" {
		t.Fatal(outcome, err)
	}
	if n := cache.Stats().Entries; n != 1 {
		t.Fatalf("the cache has %d entries after one conversion", n)
	}
	before := serves()
	copyTo(t, "testdata/two.wasm", filepath.Join(dir, ".new"))
	if err := os.Rename(filepath.Join(dir, ".new"), filepath.Join(dir, file)); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the next module to serve", func() bool { return serves() != before })
	if n := cache.Stats().Entries; n != 0 {
		t.Errorf("the cache has %d entries of a module that is gone", n)
	}
}

// TestMissedKindIsLoadedNext: a review for a kind whose module waits to be loaded moves it forward.
func TestMissedKindIsLoadedNext(t *testing.T) {
	const kinds, last = 100, "Kind99.example.com"
	dir := t.TempDir()
	for i := range kinds {
		copyTo(t, "testdata/one.wasm", filepath.Join(dir, fmt.Sprintf("Kind%02d.example.com_v1_v2.wasm", i)))
	}
	current, gate := &host.Sets{}, make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	before := make(chan int, 1) // how many other kinds serve before the last one does
	r := runRegistry(t, runtime.Config{
		Dir: dir, Registerer: prometheus.NewRegistry(), Working: func() func() { <-gate; return func() {} },
		OnSet: func(set *runtime.Set) {
			current.Replace(set, current.Routes().Next(hostEdges(set)))
			if all := current.Routes().Kinds(); slices.Contains(all, last) {
				select {
				case before <- len(all) - 1:
				default: // an earlier set had it
				}
			}
		},
	})
	t.Cleanup(open) // or the registry would not end
	eventually.True(t, "some files to be loaded, and others to wait", func() bool { return r.Waiting() == kinds-goruntime.GOMAXPROCS(0) })
	serving{current, r}.Missed("example.com", "Kind99")
	open()
	if n := <-before; n > kinds/2 {
		t.Errorf("%d of %d other kinds serve before the one that a review missed", n, kinds-1)
	}
}
