package watch

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// calls runs a Watcher without events on a clock that does not wait, and returns when it called, in
// seconds since the start.
func calls(t *testing.T, config Config, during time.Duration, changed func(w *Watcher, at time.Duration)) []float64 {
	var at []float64
	synctest.Test(t, func(t *testing.T) {
		w := noEvents(config)
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), during)
		defer cancel()
		w.Run(ctx, func() {
			at = append(at, time.Since(start).Seconds())
			changed(w, time.Since(start))
		})
	})
	return at
}

func TestPollOfUnchangedDirectoryW8(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.wasm", "a")
	at := calls(t, Config{Dir: dir}, time.Hour, func(*Watcher, time.Duration) {})
	// A call at once, then one after every sixth poll and a quiet.
	if n := len(at); n < 55 || n > 65 || at[0] != 0 {
		t.Fatalf("%d calls in an hour, the first at %v s", n, at[0])
	}
	intervals := map[float64]bool{}
	for i := 2; i < len(at); i++ {
		gap := at[i] - at[i-1]
		intervals[gap] = true
		if gap < 6*8 || gap > 6*12 {
			t.Errorf("%v s between two calls, want 48 to 72", gap)
		}
	}
	if len(intervals) < 10 {
		t.Errorf("polls do not vary: %v", intervals)
	}
}

func TestPollFindsChange(t *testing.T) {
	dir := t.TempDir()
	at := calls(t, Config{Dir: dir}, 30*time.Second, func(_ *Watcher, at time.Duration) {
		if at == 0 {
			put(t, dir, "a.wasm", "a") // after the look that led to this call, so it is news
		}
	})
	if len(at) != 2 || at[1] < 8.25 || at[1] > 12.25 {
		t.Errorf("calls at %v, want one 250 ms after the first poll", at)
	}
}

// Again is answered after a quiet, and more and more slowly while each call asks for one more.
func TestAgain(t *testing.T) {
	n := 0
	at := calls(t, Config{Dir: t.TempDir(), Poll: time.Hour}, time.Minute, func(w *Watcher, _ time.Duration) {
		if n++; n != 7 && n <= 8 {
			w.Again()
			w.Again() // twice is once
		}
	})
	want := []float64{0, 0.25, 0.75, 1.75, 3.75, 5.75, 7.75}
	if !slices.Equal(at, want) {
		t.Errorf("calls at %v, want %v", at, want)
	}
}

// Again may come from anywhere, and a call that does not ask for another begins the pauses anew.
func TestAgainFromOutside(t *testing.T) {
	n := 0
	at := calls(t, Config{Dir: t.TempDir(), Poll: time.Hour}, time.Minute, func(w *Watcher, _ time.Duration) {
		if n++; n <= 2 {
			w.Again()
		} else if n == 3 {
			time.AfterFunc(10*time.Second, w.Again)
		} else if n == 4 {
			w.Again()
		}
	})
	want := []float64{0, 0.25, 0.75, 11, 11.25}
	if !slices.Equal(at, want) {
		t.Errorf("calls at %v, want %v", at, want)
	}
}

func TestPending(t *testing.T) {
	const quiet, most = 250 * time.Millisecond, 2 * time.Second
	start := time.Now()
	var p pending
	for _, tc := range []struct {
		at, due time.Duration
	}{
		{0, 250 * time.Millisecond},
		{100 * time.Millisecond, 350 * time.Millisecond},
		{1700 * time.Millisecond, 1950 * time.Millisecond},
		{1900 * time.Millisecond, 2 * time.Second},
		{3 * time.Second, 2 * time.Second},
	} {
		p.note(start.Add(tc.at), quiet, most, tc.at == 0)
		if due := p.due.Sub(start); due != tc.due || !p.certain {
			t.Errorf("after %v: due at %v, certain %v; want %v, true", tc.at, due, p.certain, tc.due)
		}
	}
}
