package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"
)

// notices gets the operating system's file events, as long as it gives any. Only Run's goroutine uses it.
type notices struct {
	open     func() (*fsnotify.Watcher, error)
	logger   *slog.Logger
	degraded *atomic.Bool

	watcher *fsnotify.Watcher // nil while there are no events
	errs    chan error        // from watcher, closed after it
	points  map[string]bool   // the directories that are watched
	problem string            // what was logged last
}

// events is nil, and so blocks for ever, while there are no events to be had.
func (n *notices) events() <-chan fsnotify.Event {
	if n.watcher == nil {
		return nil
	}
	return n.watcher.Events
}

// errors is like events. Of several errors that nobody has taken yet, it has one.
func (n *notices) errors() <-chan error {
	if n.watcher == nil {
		return nil
	}
	return n.errs
}

// takeErrors passes errors on without ever waiting. The library holds a lock while it reports some of them, and whoever calls it
// meanwhile would otherwise wait for an error to be taken, by itself.
func takeErrors(from <-chan error, to chan<- error) {
	defer close(to)
	for err := range from {
		select {
		case to <- err:
		default:
		}
	}
}

// follow watches these directories and no others. It is called at every look, and so also tries again what failed. A
// directory that was watched before is added again, as another one may have taken its place under the same name; for the
// same one that changes nothing.
func (n *notices) follow(points []string) {
	if n.watcher == nil {
		watcher, err := n.open()
		if err != nil {
			n.report(fmt.Errorf("no file events: %w", err))
			return
		}
		n.watcher, n.points, n.errs = watcher, map[string]bool{}, make(chan error, 1)
		go takeErrors(watcher.Errors, n.errs) // ends when watcher is closed
	}
	wanted := map[string]bool{}
	var failed error
	for _, point := range points {
		wanted[point] = true
		switch err := n.watcher.Add(point); {
		case err == nil:
			n.points[point] = true
		case errors.Is(err, fs.ErrNotExist):
			// It vanished since it was found. Its parent's event, or the poll, tells when it is back.
			delete(n.points, point)
		default:
			failed = fmt.Errorf("no file events of %s: %w", point, err)
		}
	}
	for point := range n.points {
		if !wanted[point] {
			delete(n.points, point)
			_ = n.watcher.Remove(point) // fails if the directory has gone, and with it the watch
		}
	}
	n.report(failed)
}

// failed takes note of an error among the events. An overflow needs no more than the look that follows any error.
func (n *notices) failed(err error, open bool) {
	switch {
	case !open:
		n.lost()
	case !errors.Is(err, fsnotify.ErrEventOverflow):
		n.logger.Warn("file events may have been missed", "err", err)
	}
}

// lost gives up a source of events that has ended; the next look makes a new one.
func (n *notices) lost() {
	n.close()
	n.report(errors.New("no file events: their source ended"))
}

// report sets whether the poll is all there is, and logs it when that changes.
func (n *notices) report(err error) {
	n.degraded.Store(err != nil)
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	if problem == n.problem {
		return
	}
	n.problem = problem
	if err != nil {
		n.logger.Warn("changes of the directory are found by polling alone, which is slower", "err", err)
	} else {
		n.logger.Info("file events are back")
	}
}

func (n *notices) close() {
	if n.watcher != nil {
		_ = n.watcher.Close() // of no consequence: nothing is read from it any more
		n.watcher = nil
	}
}
