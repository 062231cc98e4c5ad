// Package watch follows a directory whose files are replaced while they are in use: mounted
// ConfigMaps and Secrets, symbolic links that are switched, plain copies. A [Watcher] reports that
// the directory changed and has settled; [Read] takes one consistent snapshot of it. Neither writes
// anything.
//
// Events alone do not suffice: they are lost when a mount replaces the directory, on network file
// systems, when a queue overflows, and when the machine has no inotify instance left. A poll, which
// is always on, finds the changes that they miss.
package watch

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// defaultQuiet outlasts the gaps within one update: a kubelet's takes some milliseconds, from
	// the first file written to the last link removed.
	defaultQuiet = 250 * time.Millisecond
	// defaultMaxQuiet is how stale a directory that never rests may become.
	defaultMaxQuiet = 2 * time.Second
	// defaultPoll is short against the minute or two that a kubelet takes to bring a change.
	defaultPoll = 10 * time.Second
	// fullEvery is how many polls there are to a full scan, which finds changes that fingerprints
	// cannot show: content that changed without its attributes, as the attribute cache of a network
	// file system makes possible.
	fullEvery = 6
)

// Config configures a Watcher. Dir is required.
type Config struct {
	// Dir is the directory. It may be a symbolic link, lie behind one, or not exist yet.
	Dir string
	// Logger receives one line when events become unavailable and one when they are back. Nil means
	// no log.
	Logger *slog.Logger
	// Quiet is how long the directory must not change before a change counts as settled. 0 means
	// 250 ms.
	Quiet time.Duration
	// MaxQuiet is after how long a change is passed on although the directory does not rest. 0
	// means 2 s.
	MaxQuiet time.Duration
	// Poll is the mean time between two looks at the directory, which vary by ±20 % so that
	// replicas do not read a shared file system in step. 0 means 10 s.
	Poll time.Duration
}

// Watcher follows one directory. Run is called once; the other methods may be called from any
// goroutine.
type Watcher struct {
	dir                   string
	quiet, maxQuiet, poll time.Duration
	notices               *notices
	again                 chan struct{} // holds at most one request

	// The results of the last look. Only Run's goroutine uses them.
	resolved string
	seen     fingerprint

	degraded atomic.Bool
}

// New returns a Watcher of config.Dir. It holds no resources before Run is called.
func New(config Config) *Watcher {
	w := &Watcher{
		dir: config.Dir, quiet: config.Quiet, maxQuiet: config.MaxQuiet, poll: config.Poll,
		again: make(chan struct{}, 1),
	}
	if w.quiet == 0 {
		w.quiet = defaultQuiet
	}
	if w.maxQuiet == 0 {
		w.maxQuiet = defaultMaxQuiet
	}
	if w.poll == 0 {
		w.poll = defaultPoll
	}
	if abs, err := filepath.Abs(w.dir); err == nil {
		w.dir = abs // on error the working directory was removed, and the relative path is as good
	}
	logger := config.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	w.notices = &notices{open: fsnotify.NewWatcher, logger: logger.With("dir", config.Dir), degraded: &w.degraded}
	return w
}

// Degraded reports whether changes are found by the poll alone, because the machine has no file
// events left to give.
func (w *Watcher) Degraded() bool { return w.degraded.Load() }

// Again requests one more call of changed, after a Quiet: after a snapshot that was Unsettled, or
// to retry something. Repeated calls from within changed are answered ever more slowly, down to
// once in MaxQuiet, so that a file that is written to for hours is not read without pause.
func (w *Watcher) Again() {
	select {
	case w.again <- struct{}{}:
	default: // one request is enough
	}
}

// Run calls changed at once, then whenever the directory changed and settled, when Again requests
// it, and at every sixth poll. The calls come from this goroutine, never two at a time; a change
// during a call leads to another call. Run returns when ctx ends, and releases all its resources.
// Run does not fail: it waits for a directory that does not exist, and without file events it
// polls.
func (w *Watcher) Run(ctx context.Context, changed func()) {
	defer w.notices.close()
	settled := time.NewTimer(w.quiet)
	settled.Stop()
	defer settled.Stop()
	poll := time.NewTimer(jitter(w.poll))
	defer poll.Stop()

	var p pending
	polls, repeats := 0, 0
	call := func() {
		p = pending{}
		if ctx.Err() != nil {
			return
		}
		changed()
		select {
		case <-w.again:
			p.soon(time.Now(), min(w.quiet<<min(repeats, 16), max(w.quiet, w.maxQuiet)))
			repeats++
		default:
			repeats = 0
		}
	}
	w.look() // events come from before the first call on, so that no change falls between
	call()
	for {
		if !p.due.IsZero() {
			settled.Reset(time.Until(p.due))
		}
		select {
		case <-ctx.Done():
			return
		case event, ok := <-w.notices.events():
			if !ok {
				w.notices.lost()
			}
			p.note(time.Now(), w.quiet, w.maxQuiet, !ok || w.within(event.Name))
		case err, ok := <-w.notices.errors():
			w.notices.failed(err, ok)
			p.note(time.Now(), w.quiet, w.maxQuiet, true)
		case <-w.again:
			p.note(time.Now(), w.quiet, w.maxQuiet, true)
		case <-poll.C:
			poll.Reset(jitter(w.poll))
			polls++
			if w.look() || polls%fullEvery == 0 {
				p.note(time.Now(), w.quiet, w.maxQuiet, true)
			}
		case <-settled.C:
			if differs := w.look(); differs || p.certain {
				call()
			} else {
				p = pending{}
			}
		}
	}
}

// look moves the watches to the current place of the directory, and reports whether it differs from
// the last look. It runs before a call of changed, never after, so that a change during the call is
// reported.
func (w *Watcher) look() bool {
	resolved, points := watchPoints(w.dir)
	w.notices.follow(points)
	w.resolved = resolved
	before := w.seen
	w.seen = fingerprintOf(w.dir)
	return w.seen != before
}

// within reports whether an event is the directory's own. One of its parent, or of a parent of a
// symbolic link on the way to it, need not concern it: whether it does is left to the fingerprint,
// so that a busy neighbour causes no passes.
func (w *Watcher) within(name string) bool {
	return name == w.resolved || filepath.Dir(name) == w.resolved
}

func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}
