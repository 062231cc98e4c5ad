package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// follower runs a Watcher and takes a snapshot at each call, as a registry does.
type follower struct {
	*Watcher
	t     *testing.T
	last  atomic.Pointer[Snapshot] // nil after an error
	calls atomic.Int64
	stop  func()
}

// quick configures a Watcher that reports events within milliseconds and in effect never polls.
func quick(dir string) Config {
	return Config{Dir: dir, Quiet: 5 * time.Millisecond, MaxQuiet: 50 * time.Millisecond, Poll: time.Hour}
}

func follow(t *testing.T, w *Watcher) *follower {
	t.Helper()
	f := &follower{Watcher: w, t: t}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { // ends with stop
		defer close(done)
		w.Run(ctx, func() {
			s, err := Read(w.dir, ReadLimits{Quiet: w.quiet}, wasm)
			if err != nil {
				f.last.Store(nil)
			} else {
				f.last.Store(&s)
				if s.Unsettled {
					w.Again()
				}
			}
			f.calls.Add(1)
		})
	}()
	f.stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(f.stop)
	f.until("the first call", func() bool { return f.calls.Load() > 0 })
	return f
}

func (f *follower) until(what string, ok func() bool) {
	f.t.Helper()
	eventually.Succeeds(f.t, what, func() error {
		if !ok() {
			return fmt.Errorf("not after %d calls", f.calls.Load())
		}
		return nil
	})
}

// sees waits until a file has this content, "" meaning that there is no such file.
func (f *follower) sees(name, content string) {
	f.t.Helper()
	f.until(fmt.Sprintf("%s to be %q", name, content), func() bool {
		s := f.last.Load()
		return s != nil && contents(*s)[name] == content
	})
}

func (f *follower) fails() {
	f.t.Helper()
	f.until("an error", func() bool { return f.last.Load() == nil })
}

// noEvents makes a Watcher as on a machine without file events.
func noEvents(config Config) *Watcher {
	w := New(config)
	w.notices.open = func() (*fsnotify.Watcher, error) {
		return nil, os.NewSyscallError("inotify_init1", fmt.Errorf("too many open files"))
	}
	return w
}

func TestEachUpdateIsSeenW1(t *testing.T) {
	const updates = 100
	v := newVolume(t)
	v.write(map[string]string{"a.wasm": "0"})
	f := follow(t, New(quick(v.dir)))
	for i := 1; i <= updates; i++ {
		payload := map[string]string{"a.wasm": fmt.Sprint(i)}
		if i%2 == 0 {
			payload["even.wasm"] = fmt.Sprint(i)
		}
		v.LinksFirst = i%3 == 0
		v.write(payload)
		f.sees("a.wasm", payload["a.wasm"])
		f.sees("even.wasm", payload["even.wasm"])
	}
	// One update is one change, but one pass may fall into it, and one follow; on a busy machine,
	// one after each of its five steps. Calls that lead to calls would be many more.
	calls := f.calls.Load()
	t.Logf("%d calls for %d updates", calls, updates)
	if calls > 8*updates {
		t.Errorf("%d calls for %d updates", calls, updates)
	}
}

func TestEachUpdateIsSeenWithoutEventsW4(t *testing.T) {
	v := newVolume(t)
	v.write(map[string]string{"a.wasm": "0"})
	config := quick(v.dir)
	config.Poll = 10 * time.Millisecond
	f := follow(t, noEvents(config))
	if !f.Degraded() {
		t.Error("not degraded")
	}
	for i := 1; i <= 30; i++ {
		v.write(map[string]string{"a.wasm": fmt.Sprint(i)})
		f.sees("a.wasm", fmt.Sprint(i))
	}
}

// The changes that people and tools make to a directory, each found by events alone and by the poll
// alone.
func TestChangesAreSeen(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(t *testing.T, dir string, f *follower)
	}{
		{"copied in", func(t *testing.T, dir string, f *follower) {
			must(t, os.WriteFile(filepath.Join(dir, "b.wasm"), []byte("b"), 0o644))
			f.sees("b.wasm", "b")
		}},
		{"copied over", func(t *testing.T, dir string, f *follower) {
			must(t, os.WriteFile(filepath.Join(dir, "a.wasm"), []byte("2"), 0o644))
			f.sees("a.wasm", "2")
		}},
		{"W8 content changed, size and time kept", func(t *testing.T, dir string, f *follower) {
			put(t, dir, "a.wasm", "2")
			f.sees("a.wasm", "2")
		}},
		{"renamed over", func(t *testing.T, dir string, f *follower) {
			put(t, dir, ".a.wasm.swp", "2")
			must(t, os.Rename(filepath.Join(dir, ".a.wasm.swp"), filepath.Join(dir, "a.wasm")))
			f.sees("a.wasm", "2")
		}},
		{"removed", func(t *testing.T, dir string, f *follower) {
			must(t, os.Remove(filepath.Join(dir, "a.wasm")))
			f.sees("a.wasm", "")
		}},
		{"made readable again", func(t *testing.T, dir string, f *follower) {
			must(t, os.Rename(filepath.Join(dir, "a.wasm"), filepath.Join(dir, "a.off")))
			f.sees("a.wasm", "")
			must(t, os.Rename(filepath.Join(dir, "a.off"), filepath.Join(dir, "a.wasm")))
			f.sees("a.wasm", "1")
		}},
		{"W7 directory removed and made again", func(t *testing.T, dir string, f *follower) {
			must(t, os.RemoveAll(dir))
			f.fails()
			must(t, os.Mkdir(dir, 0o755))
			put(t, dir, "a.wasm", "2")
			f.sees("a.wasm", "2")
			put(t, dir, "a.wasm", "3")
			f.sees("a.wasm", "3")
		}},
		{"directory and its parents removed and made again", func(t *testing.T, dir string, f *follower) {
			must(t, os.RemoveAll(filepath.Dir(dir)))
			f.fails()
			must(t, os.MkdirAll(dir, 0o755))
			put(t, dir, "a.wasm", "2")
			f.sees("a.wasm", "2")
			put(t, dir, "a.wasm", "3")
			f.sees("a.wasm", "3")
		}},
		{"directory renamed and replaced", func(t *testing.T, dir string, f *follower) {
			must(t, os.Mkdir(dir+"2", 0o755))
			put(t, dir+"2", "a.wasm", "2")
			must(t, os.Rename(dir, dir+"1"))
			must(t, os.Rename(dir+"2", dir))
			f.sees("a.wasm", "2")
			put(t, dir, "a.wasm", "3")
			f.sees("a.wasm", "3")
		}},
		{"directory becomes a kubelet's", func(t *testing.T, dir string, f *follower) {
			must(t, os.Remove(filepath.Join(dir, "a.wasm")))
			v := volumeAt(t, dir)
			for i := range 3 {
				v.write(map[string]string{"a.wasm": fmt.Sprint("v", i)})
				f.sees("a.wasm", fmt.Sprint("v", i))
			}
		}},
	} {
		for _, events := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, events=%v", tc.name, events), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "parent", "modules")
				must(t, os.MkdirAll(dir, 0o755))
				put(t, dir, "a.wasm", "1")
				config := quick(dir)
				w := New(config)
				if !events {
					config.Poll = 10 * time.Millisecond
					w = noEvents(config)
				}
				f := follow(t, w)
				f.sees("a.wasm", "1")
				tc.change(t, dir, f)
			})
		}
	}
}

func TestDirectoryAppearsLate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	f := follow(t, New(quick(dir)))
	f.fails()
	if f.Degraded() {
		t.Error("a directory that does not exist is not a lack of events")
	}
	must(t, os.MkdirAll(dir, 0o755))
	put(t, dir, "a.wasm", "a")
	f.sees("a.wasm", "a")
}

// With git-sync, the directory or one above it is a link that is switched. The directory's own
// events do not show that.
func TestSwitchedLinkIsSeen(t *testing.T) {
	for _, below := range []string{"", "modules"} {
		t.Run("below="+below, func(t *testing.T) {
			top := t.TempDir()
			tree := func(version string) string {
				dir := filepath.Join(top, "worktrees", version, below)
				must(t, os.MkdirAll(dir, 0o755))
				put(t, dir, "a.wasm", version)
				must(t, os.Symlink(filepath.Join("worktrees", version), filepath.Join(top, "tmp")))
				must(t, os.Rename(filepath.Join(top, "tmp"), filepath.Join(top, "current")))
				return dir
			}
			tree("0")
			must(t, os.Symlink(filepath.Join(top, "current"), filepath.Join(top, "outer")))
			f := follow(t, New(quick(filepath.Join(top, "outer", below))))
			for i := 1; i <= 10; i++ {
				dir := tree(fmt.Sprint(i))
				f.sees("a.wasm", fmt.Sprint(i))
				put(t, dir, "a.wasm", fmt.Sprint(i, " edited")) // the events are the new target's now
				f.sees("a.wasm", fmt.Sprint(i, " edited"))
				must(t, os.RemoveAll(filepath.Join(top, "worktrees", fmt.Sprint(i-1))))
			}
		})
	}
}

// TestSlowCopyIsSeenWhenDoneW3: a copy that takes long, with events all the while, is seen once it
// is done.
func TestSlowCopyIsSeenWhenDoneW3(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	config := quick(dir)
	config.Quiet, config.MaxQuiet = time.Second, 1200*time.Millisecond
	f := follow(t, New(config))
	file, err := os.Create(filepath.Join(dir, "a.wasm"))
	must(t, err)
	var pause time.Duration // the longest between two writes, and not less than it was
	written := time.Now()
	for i := range 250 {
		before := time.Now()
		_, err := fmt.Fprintf(file, "%d,", i)
		must(t, err)
		pause, written = max(pause, time.Since(written)), before
		if s := f.last.Load(); s != nil && len(s.Files) > 0 && max(pause, time.Since(written)) < config.Quiet {
			t.Fatalf("taken while it is being written: %q", s.Files[0].Content)
		}
		time.Sleep(10 * time.Millisecond)
	}
	must(t, file.Close())
	whole, err := os.ReadFile(file.Name())
	must(t, err)
	f.sees("a.wasm", string(whole))
	if pause >= config.Quiet {
		t.Skipf("the machine let the copy rest for %v, and a copy that rests for %v is taken for finished", pause, config.Quiet)
	}
}

func TestStormCausesFewCallsW5(t *testing.T) {
	v := newVolume(t)
	v.write(map[string]string{"a.wasm": "0"})
	config := quick(v.dir)
	config.Quiet, config.MaxQuiet = 100*time.Millisecond, 400*time.Millisecond
	f := follow(t, New(config))
	start, updates := time.Now(), 0
	for ; time.Since(start) < 2*time.Second || f.calls.Load() < 3; updates++ { // the storm is seen before it is over
		if time.Since(start) > time.Minute {
			t.Fatalf("%d calls in a minute of changes", f.calls.Load())
		}
		v.write(map[string]string{"a.wasm": fmt.Sprint(updates)})
		time.Sleep(time.Millisecond)
	}
	f.sees("a.wasm", fmt.Sprint(updates-1)) // the latest wins
	took := time.Since(start)
	calls, most := f.calls.Load(), int64(took/config.Quiet)+3
	t.Logf("%d updates in %v: %d calls", updates, took, calls)
	if calls > most {
		t.Errorf("%d calls in %v, want %d at most", calls, took, most)
	}
}

// Changes beside the directory cause no calls, although its parent is watched.
func TestBusyNeighbour(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "modules")
	must(t, os.Mkdir(dir, 0o755))
	f := follow(t, New(quick(dir)))
	for i := range 30 {
		put(t, parent, "neighbour.wasm", fmt.Sprint(i))
		time.Sleep(10 * time.Millisecond) // twice the quiet: each would cause a call of its own
	}
	if calls := f.calls.Load(); calls > 3 { // the first, and calls that the creation of the directory may have caused
		t.Errorf("%d calls", calls)
	}
	put(t, dir, "a.wasm", "a")
	f.sees("a.wasm", "a")
}

func TestRunReleasesEverythingW11(t *testing.T) {
	dir := t.TempDir()
	follow(t, New(quick(dir))).stop() // from now on, files that the process opens once are open
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	for i := range 20 {
		f := follow(t, New(quick(dir)))
		put(t, dir, "a.wasm", fmt.Sprint(i)) // shutdown races with a change
		f.stop()
		calls := f.calls.Load()
		put(t, dir, "a.wasm", "after")
		if f.calls.Load() != calls {
			t.Fatal("called after Run returned")
		}
	}
	eventually.Succeeds(t, "everything to be released", func() error {
		if now, open := runtime.NumGoroutine(), openFiles(t); now > goroutines || open > files {
			return fmt.Errorf("%d goroutines and %d open files, %d and %d before", now, open, goroutines, files)
		}
		return nil
	})
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(entries)
}

func TestEndedContextCallsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	New(quick(t.TempDir())).Run(ctx, func() { t.Error("called") })
}
