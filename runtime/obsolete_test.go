package runtime

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// packedAs returns a job for the same content under the name of another packing.
func packedAs(t *testing.T, j *job, file string) *job {
	t.Helper()
	name, err := artifact.ParseName(file)
	if err != nil {
		t.Fatal(err)
	}
	return &job{name: name, file: j.file}
}

// TestObsoleteJobs: content that waits to be loaded is dropped if its file is gone, taken out of
// service, not allowed any more, or has another name.
func TestObsoleteJobs(t *testing.T) {
	const base = "K.g_v1_v2"
	waits := jobOf(t, base, 1)
	there := map[string]bool{base: true}
	for _, tc := range []struct {
		name string
		plan plan
		want bool
	}{
		{"as it was", plan{present: there, steps: []step{{do: leave, job: jobOf(t, base, 1)}}}, false},
		{"gone", plan{}, true},
		{"taken out of service", plan{present: there, removed: there}, true},
		{"not allowed", plan{present: there, steps: []step{{do: deny, job: jobOf(t, base, 1)}}}, true},
		{"packed", plan{present: there, steps: []step{{do: begin, job: packedAs(t, waits, base+".wasm.gz")}}}, true},
	} {
		k := known{jobs: map[string]*job{base: waits}}
		if got := slices.Contains(k.obsolete(tc.plan), base); got != tc.want {
			t.Errorf("%s: dropped %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestUnreadableFileWithATombstone: it is ignored, as a readable one is.
func TestUnreadableFileWithATombstone(t *testing.T) {
	s := snapshotOf("K.g_v1_v2.removed")
	s.Skipped = []watch.Skipped{{Name: "K.g_v1_v2.wasm", Reason: "is a directory"}}
	p := planScan(scanOf(s, false), known{}, time.Now())
	if len(p.steps) != 0 || p.rejected["K.g_v1_v2.wasm"] != "is a directory" {
		t.Errorf("steps %+v, rejected %v", p.steps, p.rejected)
	}
}

// TestRefusalNamesTheFile: banned content that is packed under another name is refused by that name.
func TestRefusalNamesTheFile(t *testing.T) {
	r := resting(t)
	j := jobOf(t, "K.g_v1_v2", 1)
	r.state.entry(j.name.Base).banned = map[[32]byte]ban{j.contentSum(): {err: errors.New("it failed")}}
	for _, other := range []*job{j, packedAs(t, j, "K.g_v1_v2.wasm.gz")} {
		r.state.applyStep(step{do: refuse, job: other}, time.Now())
		if f := r.state.entries[j.name.Base].failure; f == nil || f.file != other.name.File {
			t.Errorf("%s: %+v", other.name.File, f)
		}
	}
}

// TestDenialEndsRetries: a file that failed is not tried again while the checksums do not allow it.
func TestDenialEndsRetries(t *testing.T) {
	r, now, why := resting(t), time.Now(), errors.New("it is not allowed")
	j := jobOf(t, "K.g_v1_v2", 1)
	r.state.entry(j.name.Base).failure = &failure{file: j.name.File, contentSum: j.contentSum(), err: why, retryAt: now.Add(time.Second)}
	r.state.recordDenied(j, why, now)
	if f := r.state.entries[j.name.Base].failure; !f.retryAt.IsZero() {
		t.Errorf("it is tried again at %v", f.retryAt)
	}
}

// TestListBeingWrittenIsNoVerdict: the last verdict stands until the list is whole.
func TestListBeingWrittenIsNoVerdict(t *testing.T) {
	r := resting(t)
	s := snapshotOf("K.g_v1_v2.wasm")
	s.Skipped = []watch.Skipped{{Name: sums.ListFile, Reason: "is still being written"}}
	r.state.recordChecksums([]string{""}, scanOf(s, true).Checksums, time.Now())
	if listed := r.state.listed[""]; listed != (rejectedFile{}) {
		t.Errorf("%+v", listed)
	}
}

// TestRetryIsNoLoading: a person who misses a conversion is told to wait for a first try only.
func TestRetryIsNoLoading(t *testing.T) {
	q, j := testQueue(1), jobOf(t, "K.g_v1_v2", 1)
	q.update(nil, []*job{j}, nil)
	for _, j.again = range []bool{false, true} {
		if first := q.loadingOf("g", "K"); (first == nil) != j.again {
			t.Errorf("a retry: %v; loading %+v", j.again, first)
		}
	}
}

// TestPackingOfAPostponedFile: content that waits under another name is not the file that was found.
func TestPackingOfAPostponedFile(t *testing.T) {
	const base = "K.g_v1_v2"
	found := jobOf(t, base, 1)
	for _, tc := range []struct {
		waits *job
		want  action
	}{{jobOf(t, base, 1), leave}, {packedAs(t, found, base+".wasm.gz"), begin}} {
		k := known{entries: map[string]*entry{base: {}}, jobs: map[string]*job{base: tc.waits}}
		if got := k.decide(found, scanOf(snapshotOf(), false), time.Now()).do; got != tc.want {
			t.Errorf("%s waits: %s, want %s", tc.waits.name.File, got, tc.want)
		}
	}
}

// TestWithdrawnOrphanHasNoFailure: a failure is of a file that is there.
func TestWithdrawnOrphanHasNoFailure(t *testing.T) {
	good, bad := loadFixture(t, smallLimits, "good_echo"), loadFixture(t, smallLimits, "x09_unreachable")
	for _, present := range []bool{true, false} {
		s := &entry{serving: bad, previous: &PreviousModule{Module: good}, present: present}
		if s.withdraw(time.Now()); s.serving != good || (s.failure != nil) != present {
			t.Errorf("file there: %v: %+v", present, s)
		}
	}
}
