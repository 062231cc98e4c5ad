package runtime

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
)

// Files that overran a try, and files whose content has failed before, are postponed: they are
// loaded one at a time, while no new content waits, and beside the scans, which do not wait for
// them. A file that is built to load for ever delays only itself.

// errPreempted ends a try in favour of new content; errDropped ends a try whose content was
// replaced.
var (
	errPreempted = errors.New("loading the module was interrupted for new content")
	errDropped   = errors.New("the module's file changed while it was loaded")
)

// tryTime returns the time limit of a file's next try; 0 means that only the limits of loading
// itself apply.
func (r *Registry) tryTime(j *job) time.Duration {
	if j.again {
		return 0
	}
	return load.TryTime(len(j.file.Content), j.overran, r.config.StartGrace, r.loader.Limits())
}

// postpone postpones a file that overran a try. r.mu is held.
func (r *Registry) postpone(j *job) {
	r.logger.Warn("module loads slowly; retrying it after all others", "module", j.name.File, "sha256", foreign.Digest(digestOf(j.file.Sum)),
		"within", r.tryTime(j), "err", j.err)
	j.overran++
	j.postponed, j.err = true, nil
	r.slow = append(r.slow, j)
}

// drop forgets content of a module that is being loaded or waits for it. r.mu is held.
func (r *Registry) drop(base string) {
	j := r.jobs[base]
	if j == nil {
		return
	}
	delete(r.jobs, base)
	j.dropped = true
	r.slow = slices.DeleteFunc(r.slow, func(s *job) bool { return s == j })
	if r.loadingSlow == j {
		r.stopSlow(errDropped)
	}
}

// loadSlow loads postponed files until ctx ends.
func (r *Registry) loadSlow(ctx context.Context) {
	for {
		j, tried, end := r.nextSlow(ctx)
		if j == nil {
			select {
			case <-r.kick:
				continue
			case <-ctx.Done():
				return
			}
		}
		r.loadJob(tried, j)
		end()
		r.doneSlow(ctx, j, context.Cause(tried))
	}
}

// nextSlow removes the first postponed file; nil while there is none, or while new content is being
// loaded.
func (r *Registry) nextSlow(ctx context.Context) (j *job, tried context.Context, end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.slow) == 0 || r.loading || ctx.Err() != nil {
		return nil, nil, nil
	}
	j = slices.MinFunc(r.slow, func(a, b *job) int {
		return cmp.Or(
			compareBools(!a.again, !b.again), // failed files come after slow ones
			cmp.Compare(a.overran, b.overran),
			r.byUrgency(a, b),
		)
	})
	r.slow = slices.DeleteFunc(r.slow, func(s *job) bool { return s == j })
	cancellable, stop := context.WithCancelCause(ctx)
	tried, endTry := load.WithTry(cancellable, r.tryTime(j))
	r.loadingSlow, r.stopSlow = j, stop
	return j, tried, func() { endTry(); stop(nil) }
}

// doneSlow records the result of a postponed file. cause is the reason if its try was ended.
func (r *Registry) doneSlow(ctx context.Context, j *job, cause error) {
	r.mu.Lock()
	r.loadingSlow, r.stopSlow = nil, nil
	if j.dropped || ctx.Err() != nil {
		if j.module != nil {
			j.module.Close()
		}
		r.mu.Unlock()
		return
	}
	switch {
	case j.err != nil && errors.Is(cause, errPreempted):
		j.err = nil
		r.slow = append(r.slow, j)
		r.mu.Unlock()
		return
	case j.err != nil && (errors.Is(cause, load.ErrOverran) || load.IsBusy(j.err) && r.tryTime(j) > 0):
		r.postpone(j)
		r.mu.Unlock()
		return
	}
	j.postponed = false
	r.mu.Unlock()
	r.publishResults([]*job{j})
	r.scheduleRetry()
}

// preempt stops loading postponed files, in favour of new content, until resume is called.
func (r *Registry) preempt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loading = true
	if r.loadingSlow != nil {
		r.stopSlow(errPreempted)
	}
}

func (r *Registry) resume() {
	r.mu.Lock()
	r.loading = false
	r.mu.Unlock()
	select {
	case r.kick <- struct{}{}:
	default: // it is pending already
	}
}

// Loading returns a module of a kind whose new content is being loaded or waits for it, and since
// when that content is known; file is "" if there is none. It ignores content that has failed
// before: then the failure is the message.
func (r *Registry) Loading(group, kind string) (file string, since time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var first *job
	for _, j := range r.jobs {
		if j.name.Group == group && j.name.Kind == kind && !j.again && (first == nil || strings.Compare(j.name.File, first.name.File) < 0) {
			first = j
		}
	}
	if first == nil {
		return "", time.Time{}
	}
	return first.name.File, first.since
}
