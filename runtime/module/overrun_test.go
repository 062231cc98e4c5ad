package module

import (
	"context"
	"testing"
	"time"
)

// TestOverrunLooks: only a call that is past its deadline at many looks in a row has overrun, and
// not two calls of one instance after each other.
func TestOverrunLooks(t *testing.T) {
	var s callSet
	c := newCall(nil, nil)
	now := c.born.Add(time.Hour)
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
	late := int64(now.Sub(c.born))
	past := late - 1
	looks("between calls", 0, 2*OverrunLooks, false)
	looks("in time", late+1, 2*OverrunLooks, false)
	looks("late, for a moment", past, OverrunLooks-1, false)
	looks("another call, late as well", past-1, OverrunLooks-1, false)
	looks("between calls", 0, 1, false)
	looks("late again", past-1, OverrunLooks-1, false)
	looks("and still", past-1, 1, true)
	s.drop(c)
	if s.look(now) || len(s.calls) > 0 {
		t.Error("a call of a closed instance is looked at")
	}
}

// TestOverrunIgnoresTheWallClock: a clock that is set makes no call late, and none punctual: the time of
// a call's deadline has a monotonic reading, and only its distance is handed on.
func TestOverrunIgnoresTheWallClock(t *testing.T) {
	c := newCall(nil, nil)
	c.begin(context.Background(), 1, time.Hour, 0)
	for name, at := range map[string]time.Time{"the deadline": c.deadline, "the time from which it counts": c.born} {
		if at == at.Round(0) { // which removes the monotonic reading
			t.Errorf("%s, %v, is a time of the wall clock", name, at)
		}
	}
	if got, want := time.Duration(c.until.Load()), c.deadline.Sub(c.born); got != want {
		t.Errorf("the deadline for other goroutines is %v after the call was made, want %v", got, want)
	}
}

// TestInstancesAreLookedAt: the set of calls that are looked at is that of the instances, and of
// the programs that run.
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
		if n := len(m.program.atWork.calls); n != idle+working {
			t.Errorf("%s: %d calls are looked at, with %d instances", file, n, idle+working)
		}
	}
}
