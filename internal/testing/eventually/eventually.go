// Package eventually lets a test wait for something that a process, a file or a socket brings about.
// Where only time passes, a test uses testing/synctest instead.
package eventually

import (
	"errors"
	"testing"
	"time"
)

// Limit ends a wait that nothing ends. It says nothing about speed: a machine that runs thirty
// processes on two cores takes a minute for things that take a second alone.
const Limit = 5 * time.Minute

// Succeeds repeats try until it returns nil. After Limit it fails the test with the last error.
func Succeeds(t testing.TB, what string, try func() error) {
	t.Helper()
	Within(t, Limit, what, try)
}

// Within is Succeeds with another limit, for builds that take many minutes.
func Within(t testing.TB, limit time.Duration, what string, try func() error) {
	t.Helper()
	for began := time.Now(); ; {
		err := try()
		if err == nil {
			return
		}
		waited := time.Since(began)
		if waited > limit {
			t.Fatalf("waited %v for %s: %v", limit, what, err)
		}
		// A short wait ends without delay, and a long one does not take the CPU from its event.
		time.Sleep(max(time.Millisecond, min(waited/50, 500*time.Millisecond)))
	}
}

// True repeats is until it returns true.
func True(t testing.TB, what string, is func() bool) {
	t.Helper()
	Succeeds(t, what, func() error {
		if is() {
			return nil
		}
		return errors.New("it did not happen")
	})
}

// Before waits for done, and fails the test once a clock has advanced by limit meanwhile. The clock is
// the processor time of this process, which a busy machine does not speed up: after a second, Before
// uses the processor itself, so that it advances although nothing else happens.
func Before(t testing.TB, limit time.Duration, processor func() time.Duration, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
		return
	case <-time.After(time.Second):
	}
	for began := processor(); ; {
		select {
		case <-done:
			return
		default:
		}
		if used := processor() - began; used > limit {
			t.Fatalf("waited %v of processor time for %s", limit, what)
		}
	}
}
