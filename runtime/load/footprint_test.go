package load

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// TestLoadedMemoryIsBoundedM26 loads small files with a large initial memory until the bound is
// reached: without it, some dozens of them fill any pod.
func TestLoadedMemoryIsBoundedM26(t *testing.T) {
	cache, err := codecache.Open(t.TempDir(), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cache.Close)
	for what, cache := range map[string]*codecache.Cache{"compiled": nil, "from the compile cache": cache} {
		t.Run(what, func(t *testing.T) {
			l := NewLoader(Config{Limits: module.Limits{LoadedBytes: 40 << 20, FuelToLoad: 50_000_000}, Logger: slog.New(slog.DiscardHandler), Cache: cache})
			load := func() (*module.Module, error) {
				return l.Load(context.Background(), testName, fixture(t, "m26_image"), nil)
			}
			first, err := load()
			if err != nil {
				t.Fatal(err)
			}
			second, err := load()
			if err != nil {
				t.Fatal(err)
			}
			const want = "it takes 17 MiB of memory for its code and its initial memory, and the loaded modules have 33 MiB of at most 40 (--max-loaded-bytes): shrink it, take other modules out of service, or raise the limit"
			for range 2 {
				if m, err := load(); err == nil {
					m.Close()
					t.Fatal("a module beyond the bound was loaded")
				} else if !errors.As(err, new(noRoom)) || err.Error() != want {
					t.Fatalf("refused with\n %q, want\n %q", err, want)
				}
			}
			if out, _, err := second.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil || string(out[0]) != "{}" {
				t.Errorf("a loaded module answers %q, %v", out, err)
			}
			first.Close()
			third, err := load()
			if err != nil {
				t.Fatalf("a closed module still counts: %v", err)
			}
			second.Close()
			third.Close()
			if l.loaded.of("").used != 0 {
				t.Errorf("no module is loaded, and %d bytes are counted", l.loaded.of("").used)
			}
			if _, err := l.Load(context.Background(), testName, fixture(t, "m10_start_recursion"), nil); err == nil || l.loaded.of("").used != 0 {
				t.Errorf("a module that did not load (%v) holds %d bytes", err, l.loaded.of("").used)
			}
		})
	}
}

// TestCodeCountsAsLoadedMemoryM26: the bound holds before a module's first instruction, by the size
// of its code and the parts that the engine keeps.
func TestCodeCountsAsLoadedMemoryM26(t *testing.T) {
	l := NewLoader(Config{Limits: module.Limits{LoadedBytes: perModule}, Logger: slog.New(slog.DiscardHandler)})
	if _, err := l.Load(context.Background(), testName, fixture(t, "good_echo"), nil); !errors.As(err, new(noRoom)) || l.loaded.of("").used != 0 {
		t.Errorf("error %v, %d bytes are counted", err, l.loaded.of("").used)
	}
	if got, want := loadedBytes(1000, 10, nil), int64(perModule+1000+10*perPart+1000*codeUnknown); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

// stuckLog blocks a guest that writes to it, once it is armed.
type stuckLog struct {
	slog.Handler
	armed   *atomic.Bool
	reached chan struct{}
	release chan struct{}
}

func (l stuckLog) Enabled(context.Context, slog.Level) bool { return true }
func (l stuckLog) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l stuckLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "module log" && l.armed.CompareAndSwap(true, false) {
		close(l.reached)
		<-l.release
	}
	return nil
}

// TestOwnersShareWhatALoaderHas: with owners, each has an equal part of the memory, and the kinds of
// one owner leave instances for another.
func TestOwnersShareWhatALoaderHas(t *testing.T) {
	h := stuckLog{slog.DiscardHandler, new(atomic.Bool), make(chan struct{}), make(chan struct{})}
	limits := smallLimits
	limits.Instances, limits.LoadedBytes = 2, 64<<20
	l := NewLoader(Config{Limits: limits, Logger: slog.New(h), Owners: 2})
	if most := l.loaded.of("busy").most; most != 32<<20 {
		t.Errorf("one of two owners may have %d bytes of 64 MiB", most)
	}
	load := func(file, fixed string) *module.Module {
		name, err := artifact.ParseOwned(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := l.Load(t.Context(), name, fixture(t, fixed), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
		return m
	}
	first, second := load("busy/One.g_v1_v2.wasm", "x14_log"), load("busy/Two.g_v1_v2.wasm", "good_echo")
	other := load("good/Three.g_v1_v2.wasm", "good_echo")
	h.armed.Store(true)
	ended := make(chan struct{})
	go func() { // ends when the log is released
		defer close(ended)
		_, _, _ = first.Convert(t.Context(), "g/v1", "g/v2", [][]byte{testObject})
	}()
	<-h.reached
	cancelled, cancel := context.WithCancel(t.Context())
	cancel() // so that a call which has to wait ends at once
	_, _, err := second.Convert(cancelled, "g/v1", "g/v2", [][]byte{testObject})
	wantFault(t, err, faults.Busy, "the share of the kind in the 2 instances of the gateway was busy")
	if _, _, err := other.Convert(t.Context(), "g/v1", "g/v2", [][]byte{testObject}); err != nil {
		t.Errorf("the other owner: %v", err)
	}
	close(h.release)
	<-ended
}

// TestOwnersShareLoadedMemory: while an owner's modules fill its part of the memory, another owner
// replaces its module, for which both versions are loaded for a while.
func TestOwnersShareLoadedMemory(t *testing.T) {
	l := NewLoader(Config{Limits: module.Limits{LoadedBytes: 80 << 20, FuelToLoad: 50_000_000}, Logger: slog.New(slog.DiscardHandler), Owners: 2})
	load := func(owner string) error {
		name, err := artifact.ParseOwned(owner + "/" + testName.File)
		if err != nil {
			t.Fatal(err)
		}
		m, err := l.Load(context.Background(), name, fixture(t, "m26_image"), nil)
		if err == nil {
			t.Cleanup(m.Close)
		}
		return err
	}
	for range 2 {
		if err := load("a"); err != nil {
			t.Fatal(err)
		}
	}
	const want = "the loaded modules of owner a have 33 MiB of at most 40, its share of --max-loaded-bytes"
	if err := load("a"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a module beyond the part of its owner: %v", err)
	}
	for range 2 {
		if err := load("b"); err != nil {
			t.Errorf("beside an owner at its part: %v", err)
		}
	}
}
