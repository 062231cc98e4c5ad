package runtime

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// stuckHandler is a log that blocks when a guest writes to it, as a host function does that looks
// at no deadline.
type stuckHandler struct {
	slog.Handler
	reached chan struct{} // closed when a guest is stuck
	once    *sync.Once
	release chan struct{} // to be closed
}

func newStuckHandler() stuckHandler {
	return stuckHandler{slog.DiscardHandler, make(chan struct{}), &sync.Once{}, make(chan struct{})}
}

func (h stuckHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h stuckHandler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h stuckHandler) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "module log" {
		h.once.Do(func() { close(h.reached) })
		<-h.release
	}
	return nil
}

// overrun has the module that serves convert, on a goroutine that ends when the log is released,
// and returns once it is stuck. Its call is late by then: the tests give it a millisecond.
func (f *following) overrun(h stuckHandler) (ended <-chan struct{}) {
	f.t.Helper()
	set, done := f.pin(), make(chan struct{})
	m := f.binding(set).Module
	go func() { // ends when the log is released
		defer close(done)
		defer set.Release()
		_, _, _ = m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
	}()
	<-h.reached
	return done
}

// lateLimits let a call work for a millisecond: one that is stuck is late at once.
func lateLimits() module.Limits {
	l := smallLimits
	l.CallTime = time.Millisecond
	return l
}

// TestOverrunTakesModuleOutOfServiceX28: a module with a call that runs long past its deadline is
// taken out of service until its file has other content; status and metrics say so, and the module
// is not closed while the call runs.
func TestOverrunTakesModuleOutOfServiceX28(t *testing.T) {
	t.Parallel() // it mostly waits
	const file = "K.g_v1_v2.wasm"
	h := newStuckHandler()
	f := &following{t: t, dir: t.TempDir()}
	f.put(file, "x14_log")
	f.run(Config{Logger: slog.New(h), Limits: lateLimits()})
	bad := f.module("v1", "v2")
	ended := f.overrun(h)
	f.until("the end of its service", func() bool { return f.module("v1", "v2") == nil }) // Run looks, ten times
	if st := f.status(file); st.State != StateOverrun || st.LastError != errOverrun.Error() || st.FailedDigest != bad.Digest() || st.RolledBackAt != nil {
		t.Errorf("status %+v", st)
	}
	set := f.pin()
	if failed := set.Failed(); len(failed) != 1 || failed[0].File != file || failed[0].Reason != errOverrun.Error() {
		t.Errorf("a person who misses the conversion is told %+v", failed)
	}
	set.Release()
	if v := testutil.ToFloat64(f.journal.metrics.reloadOK.WithLabelValues(file)); v != 0 {
		t.Errorf("last_reload_successful is %v", v)
	}
	if n := f.holders.count(bad); n != 1 {
		t.Errorf("the module is in %d sets while its call goes on, want the one that the call holds", n)
	}
	before := testutil.ToFloat64(f.journal.metrics.scans)
	f.put(file, "x14_log") // the same content
	f.directories.all[0].watcher.Again()
	f.until("two scans", func() bool { return testutil.ToFloat64(f.journal.metrics.scans) >= before+2 })
	if st := f.status(file); st.State != StateOverrun {
		t.Errorf("the same content again: %+v", st)
	}
	close(h.release)
	<-ended
	if n := f.holders.count(bad); n != 0 {
		t.Errorf("the module is in %d sets after its call ended", n)
	}
	f.put(file, "good_echo")
	f.until("other content", func() bool { return f.status(file).State == StateServing })
}

// TestOverrunOnProbationX28: where a previous version is there, it takes over; one that overruns
// itself is not fallen back to any more.
func TestOverrunOnProbationX28(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	for _, which := range []string{"newer", "previous"} {
		t.Run(which, func(t *testing.T) {
			h := newStuckHandler()
			f := &following{t: t, dir: t.TempDir()}
			first, second := "good_echo", "x14_log"
			if which == "previous" {
				first, second = second, first
			}
			f.put(file, first)
			f.run(Config{Logger: slog.New(h), Probation: time.Hour, Limits: lateLimits()})
			one := f.module("v1", "v2")
			var ended <-chan struct{}
			if which == "previous" {
				ended = f.overrun(h)
			}
			f.put(file, second)
			f.until("the second version", func() bool { return f.module("v1", "v2") != one })
			two := f.module("v1", "v2")
			want := two
			if which == "newer" {
				ended, want = f.overrun(h), one
			}
			for range module.OverrunLooks {
				f.publishNext(func(now time.Time) { f.state.checkOverruns(now.Add(time.Second)) })
			}
			if got := f.module("v1", "v2"); got != want {
				t.Errorf("%s serves, want %s", got.Digest(), want.Digest())
			}
			if st := f.status(file); st.State != StateServing || st.ProbationUntil != nil || (st.LastError != "") != (which == "newer") {
				t.Errorf("status %+v", st)
			}
			close(h.release)
			<-ended
		})
	}
}

// TestWithdrawKeepsVerdictOfPresentFile: the verdict on a module that overran is kept while its file
// is there, so that the next scan does not load it again.
func TestWithdrawKeepsVerdictOfPresentFile(t *testing.T) {
	for _, present := range []bool{true, false} {
		r := resting(t)
		m := loadFixture(t, smallLimits, "good_echo")
		s := r.state.entry(testName.Base)
		s.serving, s.present = m, present
		r.state.withdraw(s, time.Now())
		if kept := r.state.entries[testName.Base] != nil; kept != present {
			t.Errorf("with the file there %v, the verdict is kept %v", present, kept)
		}
	}
}
