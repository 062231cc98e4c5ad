package runtime

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// setOf is a set that has a module for each edge of the names.
func setOf(t *testing.T, bases ...string) *Set {
	t.Helper()
	s := &Set{}
	for _, base := range bases {
		for _, e := range jobOf(t, base, 1).name.Edges() {
			s.bindings = append(s.bindings, Binding{Edge: e, Module: &module.Module{}})
		}
	}
	slices.SortFunc(s.bindings, func(a, b Binding) int { return compareEdges(a.Edge, b.Edge) })
	return s
}

// TestReadinessWaitsForWhatServed: the start is over when what served before serves, is replaced, is
// taken out of service, or had its budget, and never while nothing of it serves.
func TestReadinessWaitsForWhatServed(t *testing.T) {
	const nothing = "no module that served before the restart serves: "
	began := time.Now()
	for _, tc := range []struct {
		name    string
		before  string
		serves  string
		untried string // bases without a first try
		removed string
		after   time.Duration
		want    string // the beginning of the reason, empty for ready
	}{
		{"nothing served before", "", "", "", "", 0, ""},
		{"nothing served before, and a file is untried", "", "", "A.g_v1_v2", "", time.Hour, "modules are loading"},
		{"it serves", "A.g_v1_v2", "A.g_v1_v2", "", "", 0, ""},
		{"it serves, and a new file is untried", "A.g_v1_v2", "A.g_v1_v2", "B.g_v1_v2", "", 0, ""},
		{"it is untried", "A.g_v1_v2 B.g_v1_v2", "A.g_v1_v2", "B.g_v1_v2", "", time.Hour, "modules that served before are loading: B.g_v1_v2"},
		{"it failed", "A.g_v1_v2 B.g_v1_v2", "A.g_v1_v2", "", "", time.Second, "modules that served before do not serve: B.g_v1_v2"},
		{"it failed, and its budget is over", "A.g_v1_v2 B.g_v1_v2", "A.g_v1_v2", "", "", time.Minute, ""},
		{"nothing of it serves", "A.g_v1_v2 B.g_v1_v2", "C.g_v1_v2", "", "", time.Hour, nothing + "A.g_v1_v2 and 1 more: restore their files, or confirm the removal of each with A.g_v1_v2.removed"},
		{"a file with more versions replaces it", "A.g_v1_v2 A.g_v2_v3", "A.g_v1_v2_v3", "", "", 0, ""},
		{"a file with fewer versions does not", "A.g_v1_v2_v3", "A.g_v1_v2", "", "", time.Hour, nothing + "A.g_v1_v2_v3"},
		{"all of it is taken out of service", "A.g_v1_v2", "", "", "A.g_v1_v2", 0, ""},
	} {
		s := start{budget: 20 * time.Second, began: began, before: map[string]artifact.Name{}}
		for _, base := range strings.Fields(tc.before) {
			s.before[base] = jobOf(t, base, 1).name
		}
		s.recalls = len(s.before) > 0
		untried := func(base string) bool {
			return base == "" && tc.untried != "" || base != "" && slices.Contains(strings.Fields(tc.untried), base)
		}
		if err := s.waitsFor(untried, began); err == nil || err.Error() != "the module directory is being written" {
			t.Errorf("%s: before a scan: %v", tc.name, err)
		}
		s.scanned(Scan{}, plan{removed: map[string]bool{tc.removed: true}}, false, began)
		s.published(setOf(t, strings.Fields(tc.serves)...))
		err := s.waitsFor(untried, began.Add(tc.after))
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

// TestStartForgetsDeletedModules: a module whose file is gone is forgotten once the start is over,
// but not by a scan that may lack files, and not while nothing of what served before serves.
func TestStartForgetsDeletedModules(t *testing.T) {
	cut := Scan{Snapshot: watch.Snapshot{Skipped: []watch.Skipped{{Name: ".", Reason: "has 600 files"}}}}
	for _, tc := range []struct {
		name         string
		scan         Scan
		over, serves bool
		forgets      bool
	}{
		{"the start is over", Scan{}, true, true, true},
		{"the start is not over", Scan{}, false, true, false},
		{"nothing of it serves", Scan{}, true, false, false},
		{"files are left out", cut, true, true, false},
		{"a file is being written", Scan{Snapshot: watch.Snapshot{Unsettled: true}}, true, true, false},
		{"the directory cannot be read", Scan{Err: os.ErrNotExist}, true, true, false},
	} {
		s := start{before: map[string]artifact.Name{"A.g_v1_v2": jobOf(t, "A.g_v1_v2", 1).name}, recalls: true, serves: tc.serves}
		s.scanned(tc.scan, plan{}, tc.over, time.Now())
		if forgot := len(s.before) == 0; forgot != tc.forgets {
			t.Errorf("%s: forgotten: %v", tc.name, forgot)
		}
	}
}

func TestMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "served")
	m := newServedFile(path, []Owner{{Dir: "/modules"}})
	if served, err := m.recall(); err != nil || len(served) != 0 {
		t.Errorf("without a file: %v, %v", served, err)
	}
	if err := m.save(map[string]artifact.Name{"B.g_v1_v2": {}, "A.g_v1_v2": {}}); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "/modules\nA.g_v1_v2\nB.g_v1_v2\n" {
		t.Errorf("%q, %v", content, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("files %v", left)
	}
	if served, err := m.recall(); err != nil || len(served) != 2 || served["A.g_v1_v2"].Kind != "A" {
		t.Errorf("recalled %v, %v", served, err)
	}
	if served, _ := newServedFile(path, []Owner{{Dir: "/other"}}).recall(); len(served) != 0 {
		t.Errorf("of another directory: %v", served)
	}
	if err := os.WriteFile(path, []byte("/modules\nno name\n../K.g_v1_v2\n\nK.g_v1_v2\n"+strings.Repeat("x", scanFiles*servedName)), 0o600); err != nil {
		t.Fatal(err)
	}
	if served, err := m.recall(); err != nil || len(served) != 1 {
		t.Errorf("of a damaged file: %v, %v", served, err)
	}
	if err := newServedFile(filepath.Join(path, "below"), []Owner{{Dir: "/modules"}}).save(nil); err == nil {
		t.Error("a file that cannot be written is no error")
	}
	if served, err := newServedFile("", nil).recall(); err != nil || len(served) != 0 {
		t.Errorf("without a path: %v, %v", served, err)
	}
}

// TestMemoryLogsFailureOnce: each attempt names another temporary file in its error, and none of them
// but the first is news.
func TestMemoryLogsFailureOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	m := newServedFile(filepath.Join(dir, "served"), []Owner{{Dir: "/modules"}})
	var log bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	requests, kept := make(chan struct{}), make(chan struct{})
	go func() { // ends with ctx
		defer close(kept)
		m.keep(ctx, requests, func() map[string]artifact.Name { return nil }, slog.New(slog.NewTextHandler(&log, nil)))
	}()
	for _, repaired := range []bool{false, false, false, true, false} {
		if repaired {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		requests <- struct{}{}
	}
	cancel()
	<-kept
	if lines := strings.Count(log.String(), "cannot save"); lines != 1 {
		t.Errorf("%d lines:\n%s", lines, log.String())
	}
}

// TestWhatServedGoesFirstW18: after a restart the module that served before is loaded before files
// that are smaller and never finish, and the registry is ready when it serves.
func TestWhatServedGoesFirstW18(t *testing.T) {
	const file = "Last.g_v1_v2.wasm"
	f := &following{t: t, dir: t.TempDir()}
	served := filepath.Join(t.TempDir(), "served")
	f.put(file, "good_echo")
	f.run(Config{Served: served})
	f.until("the file of what serves", func() bool {
		content, _ := os.ReadFile(served)
		return strings.HasSuffix(string(content), "\nLast.g_v1_v2\n")
	})
	again := &following{t: t, dir: f.dir}
	for _, kind := range []string{"A", "B", "C", "D", "E", "F"} {
		again.put(kind+".g_v1_v2.wasm", "m09_start_spin")
	}
	again.run(Config{Served: served, Limits: endless(), StartGrace: time.Hour})
	if st := again.status(file); st.State != StateServing {
		t.Errorf("ready with %+v", st)
	}
}

// TestNothingOfWhatServedIsNotReady: an emptied directory does not make a restarted gateway ready.
func TestNothingOfWhatServedIsNotReady(t *testing.T) {
	served := filepath.Join(t.TempDir(), "served")
	r := resting(t)
	if err := newServedFile(served, r.config.Owners).save(map[string]artifact.Name{"K.g_v1_v2": {}}); err != nil {
		t.Fatal(err)
	}
	config := r.config
	config.Registerer, config.Served, config.StartGrace = prometheus.NewRegistry(), served, time.Nanosecond
	r, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	r.scan(t.Context(), r.directories.all[0])
	const want = "no module that served before the restart serves: K.g_v1_v2: restore their files, or confirm the removal of each with K.g_v1_v2.removed"
	if !r.queue.urgency.serving["K.g"] {
		t.Error("new files of its kind have no head start")
	}
	if err := r.Starting(); r.Ready() || err == nil || err.Error() != want {
		t.Errorf("ready %v, waits for %v", r.Ready(), err)
	}
	if err := os.WriteFile(filepath.Join(config.Dir, "K.g_v1_v2.removed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.scan(t.Context(), r.directories.all[0])
	if !r.Ready() || r.Starting() != nil {
		t.Errorf("not ready after the removal: %v", r.Starting())
	}
}

// TestDirectoryThatIsWrittenForEver: the start does not wait longer for a directory to settle than
// startPatience.
func TestDirectoryThatIsWrittenForEver(t *testing.T) {
	now := time.Now()
	for waited, want := range map[time.Duration]bool{startPatience: false, startPatience + 1: true} {
		s := &start{began: now.Add(-waited)}
		if s.scanned(scanOf(watch.Snapshot{}, true), plan{}, false, now); s.whole != want {
			t.Errorf("after %v: %v", waited, s.whole)
		}
	}
}
