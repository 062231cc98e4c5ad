package runtime

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// following is a registry at work on a directory of its own, and the set that it published last.
type following struct {
	gatherer *prometheus.Registry
	*Registry
	t    *testing.T
	dir  string
	set  atomic.Pointer[Set]
	sets atomic.Int64
	slow time.Duration // how long publishing a set takes

	loads   atomic.Int64 // that are in progress
	mayLoad sync.RWMutex // locked while a test holds loads
}

// count returns how many sets hold a module.
func (h *holders) count(m *module.Module) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sets[m]
}

func follow(t *testing.T, files map[string]string) *following {
	t.Helper()
	return followVetted(t, files, false)
}

// followVetted may have modules vetted in a child process, as in production.
func followVetted(t *testing.T, files map[string]string, vet bool) *following {
	t.Helper()
	f := &following{t: t, dir: t.TempDir()}
	for name, from := range files {
		f.put(name, from)
	}
	return f.run(Config{Vet: vet})
}

// run starts the registry with the test's config.
func (f *following) run(config Config) *following {
	t := f.t
	t.Helper()
	f.gatherer = prometheus.NewRegistry()
	config.Registerer = f.gatherer
	if config.Owners == nil {
		config.Dir = f.dir
	}
	if config.Limits == (module.Limits{}) {
		config.Limits = smallLimits
	}
	config.OnSet = func(s *Set) {
		time.Sleep(f.slow)
		f.sets.Add(1)
		f.set.Store(s)
	}
	config.Quiet, config.MaxQuiet, config.Poll = 20*time.Millisecond, 100*time.Millisecond, cmp.Or(config.Poll, 200*time.Millisecond)
	var err error
	if f.Registry, err = New(config); err != nil {
		t.Fatal(err)
	}
	load := f.Registry.load
	f.Registry.load = func(ctx context.Context, name artifact.Name, file watch.File, beside *watch.File) (*module.Module, error) {
		f.loads.Add(1)
		defer f.loads.Add(-1)
		f.mayLoad.RLock()
		defer f.mayLoad.RUnlock()
		return load(ctx, name, file, beside)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }() // ends with the test
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	f.until("ready", f.Ready)
	return f
}

// put writes a fixture, or a text if there is no such fixture, by rename, as editors and kubelets
// do.
func (f *following) put(name, from string) {
	f.t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", from+".wasm"))
	if err != nil {
		content = []byte(from)
	}
	tmp := filepath.Join(f.dir, ".tmp")
	if err := os.WriteFile(tmp, content, 0o644); err != nil {
		f.t.Fatal(err)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(tmp, old, old); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(tmp, filepath.Join(f.dir, name)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *following) remove(name string) {
	f.t.Helper()
	if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
		f.t.Fatal(err)
	}
}

// until waits for a condition, and then for the end of the change that caused it: the new set is
// published, and the replaced set is released.
func (f *following) until(what string, ok func() bool) {
	f.t.Helper()
	eventually.Succeeds(f.t, what, func() error {
		if !ok() {
			return fmt.Errorf("status: %+v", f.Status())
		}
		return nil
	})
	f.changing.Lock() // waits for the change to end
	defer f.changing.Unlock()
}

// pin acquires the current set.
func (f *following) pin() *Set {
	for {
		if s := f.set.Load(); s.Acquire() {
			return s
		}
	}
}

// module returns the module that serves an edge of kind K.g.
func (f *following) module(from, to string) *module.Module {
	s := f.pin()
	defer s.Release()
	for _, b := range s.Bindings() {
		if b.Edge == (artifact.Edge{Group: "g", Kind: "K", From: from, To: to}) {
			return b.Module
		}
	}
	return nil
}

func (f *following) status(file string) Status {
	for _, s := range f.Status() {
		if s.File == file {
			return s
		}
	}
	return Status{}
}

func TestReload(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	f := follow(t, map[string]string{file: "good_echo"})
	first := f.module("v1", "v2")
	if first == nil || first.Name() != file {
		t.Fatalf("v1→v2 is served by %v", first)
	}
	if s := f.status(file); s.State != StateServing || s.Digest != first.Digest() || !slices.Equal(s.Edges, []string{"v1→v2", "v2→v1"}) || s.ABI != "reactor" {
		t.Errorf("status %+v", s)
	}
	held := f.pin() // a review under way

	f.put(file, "good_refuse")
	f.until("the new module", func() bool { return f.module("v1", "v2") != first })
	if _, refused, err := f.module("v1", "v2").Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil || refused[0] == "" {
		t.Errorf("the new module: refused %v, error %v", refused, err)
	}
	if got, _, err := first.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil || string(got[0]) != string(testObject) {
		t.Errorf("the old module, still held: %q, %v", got, err)
	}
	held.Release()
	if n := f.holders.count(first); n != 0 {
		t.Errorf("the old module is still in %d sets after its last user let go", n)
	}
	if held.Acquire() {
		t.Error("a retired set can be acquired")
	}
}

// TestPreviousVersionServesAfterBadFileW2 puts a module in place that does not load: the last good
// one serves, and everything says so.
func TestPreviousVersionServesAfterBadFileW2(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	f := follow(t, map[string]string{file: "good_echo"})
	good := f.module("v1", "v2")
	for i, bad := range []string{"x01_not_wasm", "m15_no_convert", "m09_initialize_spin"} {
		f.put(file, bad)
		f.until("refusal of "+bad, func() bool {
			return f.status(file).LastError != "" && f.status(file).FailedDigest != "" && refusals(f, file) > i
		})
		s := f.status(file)
		if f.module("v1", "v2") != good || s.State != StateServing || s.Digest != good.Digest() {
			t.Errorf("%s: not the good module serves: %+v", bad, s)
		}
		if v := testutil.ToFloat64(f.journal.metrics.reloadOK.WithLabelValues(file)); v != 0 {
			t.Errorf("%s: last_reload_successful is %v", bad, v)
		}
		if !f.Ready() {
			t.Errorf("%s: not ready", bad)
		}
	}
	f.put(file, "good_echo")
	f.until("the old content to be good again", func() bool { return f.status(file).LastError == "" })
	if f.module("v1", "v2") != good {
		t.Error("the same content was loaded again")
	}
	if v := testutil.ToFloat64(f.journal.metrics.reloadOK.WithLabelValues(file)); v != 1 {
		t.Errorf("last_reload_successful is %v in the end", v)
	}
}

// TestFailureIsTriedAgain has a module that fails; nothing changes in the directory, and it is
// tried again, ever more rarely.
func TestFailureIsTriedAgain(t *testing.T) {
	t.Parallel() // it mostly waits
	const file = "K.g_v1_v2.wasm"
	began := time.Now()
	f := follow(t, map[string]string{file: "m15_no_convert"})
	f.until("the third try", func() bool { return refusals(f, file) >= 3 })
	if took := time.Since(began); took < 2500*time.Millisecond { // after 1 s and 2 s
		t.Errorf("tried three times within %v", took)
	}
}

func refusals(f *following, file string) int {
	return int(testutil.ToFloat64(f.journal.metrics.reloadFailure.WithLabelValues(file)))
}

// TestModuleServesAfterItsFileVanishedW7 takes a module's file away, which takes nothing else away
// until a tombstone does.
func TestModuleServesAfterItsFileVanishedW7(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	f := follow(t, map[string]string{file: "good_echo"})
	good := f.module("v1", "v2")
	f.remove(file)
	f.until("orphan", func() bool { return f.status(file).State == StateOrphaned })
	if f.module("v1", "v2") != good {
		t.Error("not served any more")
	}
	f.put(file, "good_echo")
	f.until("no orphan", func() bool { return f.status(file).State == StateServing })
	if f.module("v1", "v2") != good {
		t.Error("the same content was loaded again")
	}
	f.put("K.g_v1_v2.removed", "")
	f.until("removal", func() bool { return f.module("v1", "v2") == nil })
	if s := f.status(file); s.State != StateRefused || s.LastError != "taken out of service by K.g_v1_v2.removed" {
		t.Errorf("status %+v", s)
	}
	set := f.pin()
	if want := (Failed{"g", "K", file, "taken out of service by K.g_v1_v2.removed"}); !slices.Equal(set.Failed(), []Failed{want}) {
		t.Errorf("whoever misses the conversion is told %+v", set.Failed())
	}
	set.Release()
	f.remove("K.g_v1_v2.removed")
	f.until("return", func() bool { return f.module("v1", "v2") != nil })
}

// TestSameContentIsNotReloadedW8 rewrites the same bytes: nothing is to be loaded.
func TestSameContentIsNotReloadedW8(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	f := follow(t, map[string]string{file: "good_echo"})
	good, sets := f.module("v1", "v2"), f.sets.Load()
	scans := func() float64 { return testutil.ToFloat64(f.journal.metrics.scans) }
	for range 3 {
		before := scans()
		f.put(file, "good_echo")
		f.until("a scan", func() bool { return scans() > before })
	}
	if f.module("v1", "v2") != good || f.sets.Load() != sets {
		t.Errorf("%d new sets", f.sets.Load()-sets)
	}
}

// TestStartWithOnlyBadModuleW10 starts with only a bad module.
func TestStartWithOnlyBadModuleW10(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	f := follow(t, map[string]string{file: "m09_start_trap"})
	if s := f.status(file); s.State != StateFailed || !strings.Contains(s.LastError, "trapped: unreachable") {
		t.Errorf("status %+v", s)
	}
	if f.module("v1", "v2") != nil {
		t.Error("served")
	}
	set := f.pin()
	if failed := set.Failed(); len(failed) != 1 || failed[0].Kind != "K" || failed[0].File != file || !strings.Contains(failed[0].Reason, "trapped: unreachable") {
		t.Errorf("failed: %+v", failed)
	}
	set.Release()
	f.put(file, "good_echo")
	f.until("a good module", func() bool { return f.module("v1", "v2") != nil })
}

func TestClaims(t *testing.T) {
	f := follow(t, map[string]string{
		"K.g_v1_v2.wasm":       "good_echo",
		"K.g_v1_v2_v3.wasm":    "good_refuse",
		"K.g_v1_to_v2.wasm":    "good_refuse", // names as many versions as the first, and comes before it
		"K.g_v1_v2.wasm.gz":    "anything",    // the same module packed
		"K.g_v1_v2.wasm.zst":   "anything",    // and packed otherwise
		"notes.wasm":           "good_echo",
		"README.md":            "no module and no business of ours",
		"Other.g_v1_v2.wasm":   "m15_no_convert",
		".K.g_v8_v9.wasm.swap": "an editor's",
		"K.g_v1_v2.yml":        "a sidecar under a name that nobody reads",
		"ks.g.crd.yml":         "a definition likewise",
		"Other.g_v2_v3.WASM":   "a module likewise",
		"values.yml":           "no business of ours",
	})
	for _, tc := range []struct{ from, to, want string }{
		{"v1", "v2", "K.g_v1_to_v2.wasm"},
		{"v2", "v1", "K.g_v1_v2.wasm"},
		{"v1", "v3", "K.g_v1_v2_v3.wasm"},
		{"v2", "v3", "K.g_v1_v2_v3.wasm"},
	} {
		if m := f.module(tc.from, tc.to); m == nil || m.Name() != tc.want {
			t.Errorf("%s→%s is served by %v, want %s", tc.from, tc.to, m, tc.want)
		}
	}
	for file, want := range map[string]string{
		"K.g_v1_v2.wasm.gz":  "refused: the directory has the same module as K.g_v1_v2.wasm; delete one of them",
		"K.g_v1_v2.wasm.zst": "refused: the directory has the same module as K.g_v1_v2.wasm; delete one of them",
		"notes.wasm":         `refused: file name "notes.wasm": "notes" is not <Kind>.<group>; a module is named like CronTab.stable.example.com_v1_v2.wasm`,
		"README.md":          ": ",
		"K.g_v1_v2.yml":      "refused: it is ignored under this name; rename it to K.g_v1_v2.yaml",
		"ks.g.crd.yml":       "refused: it is ignored under this name; rename it to ks.g.crd.yaml",
		"Other.g_v2_v3.WASM": "refused: it is ignored under this name; rename it to Other.g_v2_v3.wasm",
		"values.yml":         ": ",
	} {
		if s := f.status(file); s.State+": "+s.LastError != want {
			t.Errorf("%s: %s: %s", file, s.State, s.LastError)
		}
	}
	if s := f.status("K.g_v1_v2.wasm"); !slices.Equal(s.Superseded, []string{"v1→v2 by K.g_v1_to_v2.wasm"}) {
		t.Errorf("superseded: %v", s.Superseded)
	}

	// A newcomer gets what it would have got at the start, where a new replica finds it.
	before := f.module("v1", "v3")
	f.put("K.g_v1_v3.wasm", "good_echo")
	f.until("the newcomer gets its conversion", func() bool { return f.module("v1", "v3").Name() == "K.g_v1_v3.wasm" })
	f.put("K.g_v1_v3_v4.wasm", "good_echo")
	f.until("one of lesser rank", func() bool { return f.status("K.g_v1_v3_v4.wasm").Digest != "" })
	if m := f.module("v1", "v3"); m.Name() != "K.g_v1_v3.wasm" {
		t.Errorf("v1→v3 is served by %s", m.Name())
	}
	// A module without its file gives way to one of lesser rank.
	f.remove("K.g_v1_v3.wasm")
	f.until("the orphan to give way", func() bool { return f.module("v1", "v3").Name() == "K.g_v1_v2_v3.wasm" })
	f.remove("K.g_v1_v2_v3.wasm")
	f.until("the next orphan to give way", func() bool { return f.module("v1", "v3").Name() == "K.g_v1_v3_v4.wasm" })
	if m := f.module("v2", "v3"); m != before {
		t.Errorf("v2→v3, which nobody else converts, is served by %v", m)
	}
}

func TestNewErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		file:           "module directory: " + file + " is not a directory",
		file + ".none": "module directory: stat " + file + ".none: no such file or directory",
	} {
		_, err := New(Config{Dir: dir, Registerer: prometheus.NewRegistry(), OnSet: func(*Set) {}})
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// series returns the value of one series of the registry's metrics.
func (f *following) series(name string, labels map[string]string) float64 {
	f.t.Helper()
	families, err := f.gatherer.Gather()
	if err != nil {
		f.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
	next:
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				if want, ok := labels[l.GetName()]; ok && want != l.GetValue() {
					continue next
				}
			}
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return 0
}
