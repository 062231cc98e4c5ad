package runtime

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// resting returns a registry of an empty directory that does not run.
func resting(t *testing.T) *Registry {
	t.Helper()
	r, err := New(Config{Dir: t.TempDir(), Registerer: prometheus.NewRegistry(), OnSet: func(*Set) {}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// scanOf is a scan of a directory, of which a part may still be written.
func scanOf(s watch.Snapshot, unsettled bool) Scan {
	s.Unsettled = unsettled
	return Scan{Snapshot: s, Checksums: sums.Of(s, nil, false)}
}

// planned plans a scan and carries the plan out.
func planned(r *Registry, s Scan, now time.Time) []*job {
	return r.state.apply(planScan(s, known{r.state.entries, r.queue.pending(), r.state.reserved}, now), now)
}

// TestHalfCopiedList: while SHA256SUMS is being written, nothing is loaded and nothing is refused.
func TestHalfCopiedList(t *testing.T) {
	r := resting(t)
	s := snapshotOf("K.g_v1_v2.wasm")
	s.Skipped = []watch.Skipped{{Name: sums.ListFile, Reason: "is still being written"}}
	scan := scanOf(s, true)
	if !scan.Checksums.Waits() {
		t.Fatal("the list is not waited for")
	}
	if jobs := planned(r, scan, time.Now()); len(jobs) != 0 || len(r.Status()) != 0 {
		t.Errorf("%d files are loaded, status %+v", len(jobs), r.Status())
	}
	if jobs := planned(r, scanOf(snapshotOf("K.g_v1_v2.wasm"), false), time.Now()); len(jobs) != 1 {
		t.Errorf("%d files are loaded later, want 1", len(jobs))
	}
}

// TestHalfCopiedSidecar: a module whose sidecar is being written waits for it. If the sidecar stays
// unreadable, loading the module fails with the reason.
func TestHalfCopiedSidecar(t *testing.T) {
	r := resting(t)
	s := snapshotOf("K.g_v1_v2.wasm")
	s.Skipped = []watch.Skipped{{Name: "K.g_v1_v2.yaml", Reason: "is still being written"}}
	if jobs := planned(r, scanOf(s, true), time.Now()); len(jobs) != 0 {
		t.Error("the module is loaded without its sidecar")
	}
	if jobs := planned(r, scanOf(s, false), time.Now()); len(jobs) != 1 || jobs[0].unread != "is still being written" {
		t.Errorf("jobs %v", jobs)
	}
}

// TestHalfCopiedModule: while a file is being written, its last failure stands, and the file is not
// refused a second time. A file that stays unreadable fails like one that does not load.
func TestHalfCopiedModule(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	r := resting(t)
	var s watch.Snapshot
	s.Skipped = []watch.Skipped{{Name: file, Reason: "is still being written"}}
	planned(r, scanOf(s, true), time.Now())
	if st := r.Status(); len(st) != 1 || st[0].State != StateRefused || st[0].LastError != "is still being written" {
		t.Errorf("a new file is being written: %+v", st)
	}
	s.Skipped[0].Reason = "is a directory"
	planned(r, scanOf(s, false), time.Now())
	failed := r.Status()
	if len(failed) != 1 || failed[0].State != StateFailed || failed[0].LastError != "it is a directory" {
		t.Errorf("a file that cannot be read: %+v", failed)
	}
	s.Skipped[0].Reason = "is still being written"
	planned(r, scanOf(s, true), time.Now())
	if st := r.Status(); len(st) != 1 || st[0].State != StateFailed || st[0].LastError != "it is a directory" {
		t.Errorf("its replacement is being written: %+v", st)
	}
}

// TestHalfCopiedDirectoryIsReadAgain: a scan that met a file being written asks for another, which
// finds the whole file without an event of the directory.
func TestHalfCopiedDirectoryIsReadAgain(t *testing.T) {
	again := make(chan struct{}, 1)
	r := resting(t)
	r.directories.all[0].again = func() { again <- struct{}{} }
	r.finishScan(context.Background(), r.directories.all[0], scanOf(watch.Snapshot{}, false))
	if len(again) != 0 {
		t.Error("a settled directory is read again")
	}
	r.finishScan(context.Background(), r.directories.all[0], scanOf(watch.Snapshot{}, true))
	if len(again) != 1 {
		t.Error("a directory that is being written is not read again")
	}
}
