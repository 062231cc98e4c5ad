package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// calls runs a Watcher without events on a clock that does not wait, and returns when it called, in seconds since the start.
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

func TestW8PollOfUnchangedDirectory(t *testing.T) {
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

func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.wasm", "a")
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	put(t, dir, "sub/b.wasm", "b")
	must(t, os.Symlink("sub/b.wasm", filepath.Join(dir, "b.wasm")))
	for _, tc := range []struct {
		name    string
		change  func()
		differs bool
	}{
		{"nothing", func() {}, false},
		{"a file read", func() { _, _ = os.ReadFile(filepath.Join(dir, "a.wasm")) }, false},
		{"a temporary name", func() { put(t, dir, ".tmp", "") }, false},
		{"the same content written", func() { put(t, dir, "a.wasm", "a") }, true},
		{"the target of a link", func() { put(t, dir, "sub/b.wasm", "c") }, true},
		{"a file more", func() { put(t, dir, "c.wasm", "c") }, true},
		{"a file less", func() { must(t, os.Remove(filepath.Join(dir, "c.wasm"))) }, true},
		{"..data", func() { must(t, os.Symlink("sub", filepath.Join(dir, dataLink))) }, true},
		{"the directory", func() { must(t, os.Rename(dir, dir+"2")) }, true},
		{"the directory, again", func() { must(t, os.Rename(dir+"2", dir)) }, true},
		{"as it was", func() {}, false},
	} {
		before := fingerprintOf(dir)
		tc.change()
		if differs := fingerprintOf(dir) != before; differs != tc.differs {
			t.Errorf("%s: differs %v, want %v", tc.name, differs, tc.differs)
		}
	}
}

func TestWatchPoints(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	at := func(path string) string { return filepath.Join(top, path) }
	must(t, os.MkdirAll(at("real/v1/modules"), 0o755))
	must(t, os.MkdirAll(at("links"), 0o755))
	must(t, os.Symlink("../real/./v1", at("links/current")))
	must(t, os.Symlink(at("links/current"), at("outer")))
	must(t, os.Symlink("circle", at("circle")))
	for _, tc := range []struct {
		path, resolved string
		points         []string
	}{
		{"real/v1/modules", "real/v1/modules", []string{"real/v1", "real/v1/modules"}},
		{"real/v1/../v1/modules/", "real/v1/modules", []string{"real/v1", "real/v1/modules"}},
		{"links/current", "real/v1", []string{"links", "real", "real/v1"}},
		{"outer/modules", "real/v1/modules", []string{"", "links", "real/v1", "real/v1/modules"}},
		{"real/v2/modules", "real/v2/modules", []string{"real"}},
		{"circle", "circle", []string{"", "circle"}},
	} {
		t.Run(tc.path, func(t *testing.T) {
			resolved, points := watchPoints(at(tc.path))
			want := make([]string, len(tc.points))
			for i, p := range tc.points {
				want[i] = at(p)
			}
			if resolved != at(tc.resolved) || !slices.Equal(points, want) {
				t.Errorf("%s, %q; want %s, %q", resolved, points, at(tc.resolved), want)
			}
		})
	}
	if resolved, points := watchPoints("/"); resolved != "/" || fmt.Sprint(points) != "[/]" {
		t.Errorf("/ is %s, %q", resolved, points)
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
