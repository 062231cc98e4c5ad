package runtime

import (
	"errors"
	"time"
)

// startPatience bounds the wait at the start for a file that is being written: half of the default
// queue time of reviews. A file that is written for longer may be written for ever.
const startPatience = 10 * time.Second

// start is what a registry waits for until it is ready.
type start struct {
	began time.Time // when Run was called
	whole bool      // a scan was planned in which no file was being written, or failed
	waits error     // why the registry is not ready
}

// scanned records a scan that was planned.
func (s *start) scanned(scan Scan, now time.Time) {
	s.whole = s.whole || scan.Err != nil || !scan.Unsettled || now.Sub(s.began) > startPatience
}

// beginStart begins the time at the start.
func (r *Registry) beginStart() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.start.began = time.Now()
}

// Ready reports whether the registry has loaded the directory once.
func (r *Registry) Ready() bool { return r.ready.Load() }

// checkReady records the end of the start, if nothing is waited for any more.
func (r *Registry) checkReady() {
	if r.ready.Load() {
		return
	}
	r.changing.Lock() // a claimed result may not be published yet
	r.mu.Lock()
	why := r.waitsFor()
	r.start.waits = why
	r.mu.Unlock()
	r.changing.Unlock()
	if why != nil || r.ready.Swap(true) {
		return
	}
	close(r.first)
	if r.config.OnReady != nil {
		r.config.OnReady()
	}
}

// waitsFor returns what the registry waits for until it is ready. r.mu is held.
func (r *Registry) waitsFor() error {
	switch {
	case !r.start.whole:
		return errors.New("the module directory is being written")
	case r.queue.untried(r.config.StartGrace):
		return errors.New("modules are loading")
	}
	return nil
}
