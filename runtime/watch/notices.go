package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"
)

// notices receives the operating system's file events while they are available. Only Run's
// goroutine uses it.
type notices struct {
	open     func() (*fsnotify.Watcher, error)
	logger   *slog.Logger
	degraded *atomic.Bool

	watcher *fsnotify.Watcher // nil while there are no events
	errs    chan error        // from watcher, closed after it
	points  map[string]bool   // the directories that are watched
	problem string            // the problem that was logged last
}

// events is nil, and so blocks for ever, while there are no events to be had.
func (n *notices) events() <-chan fsnotify.Event {
	if n.watcher == nil {
		return nil
	}
	return n.watcher.Events
}

// errors is like events. It buffers one error and drops the others.
func (n *notices) errors() <-chan error {
	if n.watcher == nil {
		return nil
	}
	return n.errs
}

// takeErrors passes errors on without blocking. The library holds a lock while it reports some
// errors, so a caller that waits for that lock must not also be the one that takes the error.
func takeErrors(from <-chan error, to chan<- error) {
	defer close(to)
	for err := range from {
		select {
		case to <- err:
		default:
		}
	}
}

// follow watches these directories and no others. Each look calls it, so it retries directories
// that failed. It adds a watched directory again, because another directory may have taken its
// name; for the same directory that changes nothing.
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
			// The directory vanished after it was found. Its parent's event, or the poll, reports
			// when it is back.
			delete(n.points, point)
		default:
			failed = fmt.Errorf("no file events of %s: %w", point, err)
		}
	}
	for point := range n.points {
		if !wanted[point] {
			delete(n.points, point)
			_ = n.watcher.Remove(point) // fails if the directory was removed, which removes the watch
		}
	}
	n.report(failed)
}

// failed notes an error among the events. After an overflow, the look that follows every error is
// enough.
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
		n.logger.Warn("no file events; polling the directory instead", "err", err)
	} else {
		n.logger.Info("file events are back")
	}
}

func (n *notices) close() {
	if n.watcher != nil {
		_ = n.watcher.Close() // an error has no effect: no events are read any more
		n.watcher = nil
	}
}
