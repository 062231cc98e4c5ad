package runtime

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// TestRetryPauses: the pause before the next try of a file that fails doubles, from one second to
// five minutes; new content begins anew, and a busy machine is asked again within ten seconds.
func TestRetryPauses(t *testing.T) {
	r := resting(t)
	now := time.Now()
	pauses := func(size, n int, err error) (all []time.Duration) {
		j := jobOf(t, "K.g_v1_v2", 1)
		j.err, j.file.Sum[0] = err, byte(size)
		s := r.state.entry(j.name.Base)
		for range n {
			r.state.recordFailure(s, j, now)
			all = append(all, s.failure.retryAt.Sub(now))
		}
		return all
	}
	bad := errors.New("bad")
	for _, tc := range []struct {
		name        string
		content     int
		err         error
		first, last time.Duration // of 20
	}{
		{"a bad file", 1, bad, time.Second, 5 * time.Minute},
		{"other content", 2, bad, time.Second, 5 * time.Minute},
		{"a busy machine", 3, &load.BusyError{Err: bad}, time.Second, 10 * time.Second},
	} {
		got := pauses(tc.content, 20, tc.err)
		if got[0] != tc.first || got[1] != 2*tc.first || got[2] != 4*tc.first || got[19] != tc.last {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

// TestIdleInstancesAreClosed: an instance that no review uses for Limits.IdleTime is closed.
func TestIdleInstancesAreClosed(t *testing.T) {
	f := &following{t: t, dir: t.TempDir()}
	f.put("K.g_v1_v2.wasm", "good_echo")
	limits := smallLimits
	limits.IdleTime = 40 * time.Millisecond
	f.run(Config{Limits: limits})
	m := f.module("v1", "v2")
	if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil {
		t.Fatal(err)
	}
	f.until("no instance", func() bool { idle, working := m.Instances(); return idle+working == 0 })
}

// TestFailureEndsWithItsFile: a file that never loaded and is gone leaves nothing behind. A module that
// serves keeps serving, without the failure of newer content.
func TestFailureEndsWithItsFile(t *testing.T) {
	r := resting(t)
	now := time.Now()
	bad := jobOf(t, "Bad.g_v1_v2", 1)
	bad.err = errors.New("bad")
	r.state.entry(bad.name.Base).present = true
	r.state.recordFailure(r.state.entries[bad.name.Base], bad, now)
	serves := r.state.entry("K.g_v1_v2")
	serves.serving, serves.present, serves.failure = loadFixture(t, smallLimits, "good_echo"), true, &failure{file: "K.g_v1_v2.wasm", err: errors.New("bad")}

	r.state.apply(plan{}, now)
	if _, there := r.state.entries[bad.name.Base]; there || len(r.state.entries) != 1 {
		t.Errorf("the state has %v", r.state.entries)
	}
	if serves.serving == nil || serves.present || serves.failure != nil {
		t.Errorf("the module whose file is gone: %+v", serves)
	}
}

// TestSupersededWithoutAFile: a module that converts nothing is superseded, whether its file is there
// or not.
func TestSupersededWithoutAFile(t *testing.T) {
	r := resting(t)
	s := r.state.entry("K.g_v1_v2")
	s.serving = loadFixture(t, smallLimits, "good_echo")
	for _, s.present = range []bool{true, false} {
		if one := r.state.servingStatus(s, time.Now()); one.State != StateSuperseded {
			t.Errorf("file there: %v: %s", s.present, one.State)
		}
	}
}

// TestListedHasAFile: the status of a module says that SHA256SUMS lists it only while its file is
// there and is the content that serves.
func TestListedHasAFile(t *testing.T) {
	r := resting(t)
	r.state.list = sums.Of(listing(snapshotOf("K.g_v1_v2.wasm"), "K.g_v1_v2.wasm"), nil, false)
	s := r.state.entry("K.g_v1_v2")
	s.serving = loadFixture(t, smallLimits, "good_echo")
	for _, test := range []struct {
		present bool
		failure *failure
		want    bool
	}{{true, nil, true}, {false, nil, false}, {true, &failure{err: errors.New("bad")}, false}} {
		s.present, s.failure = test.present, test.failure
		if one := r.state.servingStatus(s, time.Now()); one.Listed != test.want {
			t.Errorf("file there: %v, failed: %v: listed %v", test.present, test.failure != nil, one.Listed)
		}
	}
}
