package runtime

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/load"
)

// slowJob returns a job whose first try overran.
func slowJob(t *testing.T, q *queue, base string) *job {
	t.Helper()
	q.update(nil, []*job{jobOf(t, base, 1)}, nil)
	j, _, end := q.next(t.Context())
	end()
	q.finish(j, nil, load.ErrOverran, 5*time.Second, load.ErrOverran)
	return j
}

// TestOneSlowTryAtATime: slow files leave processors to others.
func TestOneSlowTryAtATime(t *testing.T) {
	q := testQueue(4)
	jobs := []*job{slowJob(t, q, "A.g_v1_v2"), slowJob(t, q, "B.g_v1_v2")}
	first, _, end := q.next(t.Context())
	defer end()
	if next := q.pick(); next != nil {
		t.Errorf("%s is loaded beside %s", next.name.File, first.name.File)
	}
	q.finish(first, nil, nil, time.Second, nil)
	q.claim(first)
	if next := q.pick(); next == nil || next == first || !slices.Contains(jobs, next) {
		t.Errorf("afterwards %+v is next", next)
	}
}

// TestRetryInterruptsNoSlowTry: a file that failed before is not new content.
func TestRetryInterruptsNoSlowTry(t *testing.T) {
	q := testQueue(1)
	slow := slowJob(t, q, "Slow.g_v1_v2")
	slow.overran = 3
	_, tried, end := q.next(t.Context())
	defer end()
	again := jobOf(t, "Again.g_v1_v2", 1)
	again.overran = 1
	if !q.urgency.precedes(again, slow) {
		t.Fatal("the other file is less urgent in any case")
	}
	q.update(nil, []*job{again}, nil)
	if cause := context.Cause(tried); cause != nil {
		t.Errorf("the slow try ended: %v", cause)
	}
}

// TestModuleOfDroppedContentIsClosed: its file was replaced while it was loaded.
func TestModuleOfDroppedContentIsClosed(t *testing.T) {
	q := testQueue(1)
	q.update(nil, []*job{jobOf(t, "K.g_v1_v2", 1)}, nil)
	j, _, end := q.next(t.Context())
	defer end()
	q.update([]string{j.name.Base}, nil, nil)
	m := loadFixture(t, smallLimits, "good_echo")
	q.finish(j, m, nil, time.Second, errDropped)
	if idle, working := m.Instances(); idle+working != 0 {
		t.Errorf("%d idle and %d working instances remain", idle, working)
	}
}

// TestBusyRetryIsAResult: a retry has no limit and is not postponed, so its failure is recorded, and
// says when the next one is.
func TestBusyRetryIsAResult(t *testing.T) {
	q, j := testQueue(1), jobOf(t, "K.g_v1_v2", 1)
	j.again = true
	q.update(nil, []*job{j}, nil)
	next, _, end := q.next(t.Context())
	end()
	if done := q.finish(next, nil, &load.BusyError{Err: errOverrun}, time.Second, nil); len(done) != 1 || next.err == nil {
		t.Errorf("done %v, error %v", done, next.err)
	}
}

// TestRetriesComeLast: a file that failed is less urgent than one that overran three tries.
func TestRetriesComeLast(t *testing.T) {
	q, again, slow := testQueue(1), jobOf(t, "A.g_v1_v2", 1), jobOf(t, "B.g_v1_v2", 1)
	again.again, slow.overran = true, 3
	if q.urgency.compare(again, slow) <= 0 {
		t.Errorf("the retry has %v, the slow file %v", q.urgency.score(again), q.urgency.score(slow))
	}
}

// TestNextCheckIsTheFirst: a directory is scanned for the first failure that may be tried again, and
// not for a file that is being loaded.
func TestNextCheckIsTheFirst(t *testing.T) {
	r, now := resting(t), time.Now()
	for i, base := range []string{"A.g_v1_v2", "B.g_v1_v2", "C.g_v1_v2"} {
		r.state.entry(base).failure = &failure{retryAt: now.Add(time.Duration(i+1) * time.Second)}
	}
	for loading, want := range map[string]time.Duration{"": time.Second, "A.g_v1_v2": 2 * time.Second, "B.g_v1_v2": time.Second} {
		if got := r.state.nextCheck("", func(base string) bool { return base == loading }); !got.Equal(now.Add(want)) {
			t.Errorf("%q is loaded: after %v, want %v", loading, got.Sub(now), want)
		}
	}
}
