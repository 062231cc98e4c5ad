package runtime

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// stuckHandler is a log that blocks when a guest writes to it, as a host function does that looks at no deadline.
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

// overrun has the module that serves convert, on a goroutine that ends when the log is released, and makes its call late once it is stuck.
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
	m.atWork.mu.Lock()
	defer m.atWork.mu.Unlock()
	for c := range m.atWork.calls {
		if c.until.Load() != 0 {
			c.until.Store(1)
		}
	}
	return done
}

// TestX28OverrunTakesTheModuleOut: a module with a call that goes on long after its deadline is taken out of service until its file has
// other content; everything says so, and nothing of it is closed while the call goes on.
func TestX28OverrunTakesTheModuleOut(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	h := newStuckHandler()
	f := &following{t: t, dir: t.TempDir()}
	f.put(file, "x14_log")
	f.run(Config{Logger: slog.New(h)})
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
	if v := testutil.ToFloat64(f.metrics.reloadOK.WithLabelValues(file)); v != 0 {
		t.Errorf("last_reload_successful is %v", v)
	}
	if n := bad.sets.Load(); n != 1 {
		t.Errorf("the module is in %d sets while its call goes on, want the one that the call holds", n)
	}
	passes := testutil.ToFloat64(f.metrics.passes)
	f.put(file, "x14_log") // the same content
	f.watcher.Again()
	f.until("a pass", func() bool { return testutil.ToFloat64(f.metrics.passes) >= passes+2 })
	if st := f.status(file); st.State != StateOverrun {
		t.Errorf("the same content again: %+v", st)
	}
	close(h.release)
	<-ended
	if n := bad.sets.Load(); n != 0 {
		t.Errorf("the module is in %d sets after its call ended", n)
	}
	f.put(file, "good_echo")
	f.until("other content", func() bool { return f.status(file).State == StateServing })
}

// TestX28OverrunOnProbation: where a previous version is there, it takes over; one that overruns itself is not fallen back to any more.
func TestX28OverrunOnProbation(t *testing.T) {
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
			f.run(Config{Logger: slog.New(h), Probation: time.Hour})
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
			for range overrunLooks {
				f.endOverruns(time.Now())
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

// TestOverrunLooks: only a call that is past its deadline at many looks in a row has overrun, and not two calls of one instance after each
// other.
func TestOverrunLooks(t *testing.T) {
	now := time.Unix(1000, 0)
	var s callSet
	c := newCall(nil)
	s.add(c)
	looks := func(what string, until int64, n int, want bool) {
		t.Helper()
		c.until.Store(until)
		got := false
		for range n {
			got = s.look(now)
		}
		if got != want {
			t.Errorf("%s: overrun %v, want %v", what, got, want)
		}
	}
	past := now.UnixNano() - 1
	looks("between calls", 0, 2*overrunLooks, false)
	looks("in time", now.UnixNano()+1, 2*overrunLooks, false)
	looks("late, for a moment", past, overrunLooks-1, false)
	looks("another call, late as well", past-1, overrunLooks-1, false)
	looks("between calls", 0, 1, false)
	looks("late again", past-1, overrunLooks-1, false)
	looks("and still", past-1, 1, true)
	s.drop(c)
	if s.look(now) || len(s.calls) > 0 {
		t.Error("a call of a closed instance is looked at")
	}
}

// TestInstancesAreLookedAt: the set of calls that are looked at is that of the instances, and of the programs that run.
func TestInstancesAreLookedAt(t *testing.T) {
	for _, file := range []string{"good_echo", "x09_unreachable", "command_good"} {
		m := loadFixture(t, testLoader(t, smallLimits), file)
		for range 3 {
			_, _, _ = m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
		}
		idle, working := 0, 0
		if !m.command {
			idle, working = m.pool.count()
		}
		if n := len(m.atWork.calls); n != idle+working {
			t.Errorf("%s: %d calls are looked at, with %d instances", file, n, idle+working)
		}
	}
}
