package serve

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// TestReviewContext: the context of a review ends as one with a deadline does, with a timer only for
// those who wait.
func TestReviewContext(t *testing.T) {
	type key struct{}
	request, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, "v"))
	far, past := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)

	c := &reviewContext{Context: request, deadline: far}
	if at, ok := c.Deadline(); !ok || at != far || c.Err() != nil || c.timed != nil || c.Value(key{}) != "v" {
		t.Errorf("a new one: %v %v, timer %v", at, c.Err(), c.timed)
	}
	child, stop := context.WithCancel(c)
	defer stop()
	select {
	case <-c.Done():
		t.Error("done before its end")
	default:
	}
	c.end()
	<-c.Done()
	<-child.Done()
	if c.Err() != context.Canceled || child.Err() != context.Canceled || c.Value(key{}) != "v" {
		t.Errorf("after its end: %v, child %v", c.Err(), child.Err())
	}

	c = &reviewContext{Context: request, deadline: past}
	if !errors.Is(c.Err(), context.DeadlineExceeded) {
		t.Errorf("after its deadline, without a timer: %v", c.Err())
	}
	<-c.Done()
	if !errors.Is(c.Err(), context.DeadlineExceeded) {
		t.Errorf("after its deadline: %v", c.Err())
	}
	c.end()

	c = &reviewContext{Context: request, deadline: far}
	c.end()
	if <-c.Done(); c.Err() != context.Canceled {
		t.Errorf("nobody waited, after its end: %v", c.Err())
	}
	c = &reviewContext{Context: request, deadline: far}
	cancel()
	if <-c.Done(); c.Err() != context.Canceled {
		t.Errorf("the client went away: %v", c.Err())
	}
	c.end()
}

// TestDeadlineWaitsForACall: a connection gets a deadline when a call begins or waits already, and only
// then.
func TestDeadlineWaitsForACall(t *testing.T) {
	var got []int64
	apply := func(at time.Time) error { got = append(got, at.Unix()); return nil }
	at := func(n int64) time.Time { return time.Unix(n, 0) }
	var d deadline
	for _, step := range []struct {
		name string
		do   func()
		want []int64
	}{
		{"set and set again", func() { _ = d.set(at(1), apply); _ = d.set(at(2), apply) }, nil},
		{"a call begins", func() { d.begin(apply) }, []int64{2}},
		{"set while it waits", func() { _ = d.set(at(3), apply) }, []int64{3}},
		{"it ends, and the next begins", func() { d.end(); d.begin(apply); d.end() }, nil},
		{"set, and set back", func() { _ = d.set(at(4), apply); _ = d.set(at(3), apply); d.begin(apply); d.end() }, nil},
	} {
		got = nil
		if step.do(); !slices.Equal(got, step.want) {
			t.Errorf("%s: the connection got %v, want %v", step.name, got, step.want)
		}
	}
}
