package watch

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// TestEventsLostAndRestoredW4: there is one warning when events become unavailable and one line
// when they are back, regardless of the number of polls.
func TestEventsLostAndRestoredW4(t *testing.T) {
	var log strings.Builder // only Run's goroutine writes it
	config := quick(t.TempDir())
	config.Poll = 5 * time.Millisecond
	config.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "dir" {
			return slog.Attr{}
		}
		return a
	}}))
	w := noEvents(config)
	var tries atomic.Int64
	refuse := w.notices.open
	w.notices.open = func() (*fsnotify.Watcher, error) {
		if tries.Add(1) < 10 {
			return refuse()
		}
		return fsnotify.NewWatcher()
	}
	f := follow(t, w)
	if !f.Degraded() {
		t.Error("not degraded at first")
	}
	f.until("events", func() bool { return tries.Load() >= 10 && !f.Degraded() })
	f.stop()
	want := `level=WARN msg="no file events; polling the directory instead" err="no file events: inotify_init1: too many open files"
level=INFO msg="file events are back"
`
	if log.String() != want {
		t.Errorf("logged\n%swant\n%s", log.String(), want)
	}
}

// TestQueueOverflowIsChangeW4: an overflow of the event queue is a change of anything.
func TestQueueOverflowIsChangeW4(t *testing.T) {
	w := New(quick(t.TempDir()))
	source := make(chan *fsnotify.Watcher, 2)
	w.notices.open = func() (*fsnotify.Watcher, error) {
		events, err := fsnotify.NewWatcher()
		source <- events
		return events, err
	}
	f := follow(t, w)
	events := <-source
	calls := f.calls.Load()
	events.Errors <- fsnotify.ErrEventOverflow
	f.until("a call", func() bool { return f.calls.Load() > calls })
	if f.Degraded() {
		t.Error("degraded by an overflow")
	}
	// And when the source ends, a new one is made.
	calls = f.calls.Load()
	must(t, events.Close())
	f.until("a call", func() bool { return f.calls.Load() > calls })
	<-source
	f.until("events", func() bool { return !f.Degraded() })
	put(t, w.dir, "a.wasm", "a")
	f.sees("a.wasm", "a")
}

// The watched directories are those of the last call, regardless of earlier ones.
func TestNoticesFollow(t *testing.T) {
	dir := t.TempDir()
	at := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
		return paths
	}
	for _, path := range at("a", "b", "c") {
		must(t, os.Mkdir(path, 0o755))
	}
	n := &notices{open: fsnotify.NewWatcher, logger: slog.New(slog.DiscardHandler), degraded: new(atomic.Bool)}
	defer n.close()
	for _, tc := range []struct{ points, want []string }{
		{at("a", "b"), at("a", "b")},
		{at("b", "c"), at("b", "c")},
		{at("b", "absent"), at("b")},
		{at("a"), at("a")},
	} {
		n.follow(tc.points)
		got := n.watcher.WatchList()
		slices.Sort(got)
		if !slices.Equal(got, tc.want) || n.degraded.Load() {
			t.Errorf("follow %q: watches %q, degraded %v", tc.points, got, n.degraded.Load())
		}
	}
}

// A source of events that has ended blocks whoever reads from it. Its closed channels would be read
// for ever.
func TestLostNoticesBlock(t *testing.T) {
	n := &notices{open: fsnotify.NewWatcher, logger: slog.New(slog.DiscardHandler), degraded: new(atomic.Bool)}
	n.follow([]string{t.TempDir()})
	n.lost()
	if n.events() != nil || n.errors() != nil {
		t.Errorf("events %v and errors %v, want neither", n.events(), n.errors())
	}
}

// A directory that is moved away and removed at once leaves the library with a watch that it cannot
// remove. It reports that error while it holds the lock that Add needs, so Add would block for ever
// if nobody took errors meanwhile.
func TestErrorDuringFollow(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "modules")
	must(t, os.Mkdir(dir, 0o755))
	n := &notices{open: fsnotify.NewWatcher, logger: slog.New(slog.DiscardHandler), degraded: new(atomic.Bool)}
	defer n.close()
	n.follow([]string{parent, dir})
	must(t, os.Rename(dir, dir+"-old"))
	must(t, os.Remove(dir+"-old"))
	eventually.True(t, "the library to find it out", func() bool {
		select {
		case <-n.events():
		default:
		}
		return len(n.errs) > 0
	})
	followed := make(chan struct{})
	go func() { // ends at once, or never, which is the fault
		defer close(followed)
		n.follow([]string{parent})
	}()
	select {
	case <-followed:
	case <-time.After(time.Minute):
		t.Fatal("follow waits for somebody to take an error")
	}
	select {
	case err := <-n.errors():
		if err == nil {
			t.Error("the error was lost")
		}
	case <-time.After(time.Minute):
		t.Error("the error was lost")
	}
}
