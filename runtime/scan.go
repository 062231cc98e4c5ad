package runtime

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// scan reads the directory once and queues its new content. It does not wait for the loading. Only
// the watcher's goroutine calls it.
func (r *Registry) scan(ctx context.Context) {
	r.journal.metrics.scans.Inc()
	s := r.directory.scan(r.served())
	if r.config.Subscriber != nil {
		r.config.Subscriber.Scanned(s)
	}
	done := r.plan(ctx, s)
	r.publishResults(done)
	r.checkReady()
	r.finishScan(ctx, s)
}

// plan decides about each file of a scan, and queues new content. It returns jobs with results that
// waited for content which is obsolete now.
func (r *Registry) plan(ctx context.Context, s Scan) (done []*job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if s.Err != nil {
		r.state.recordProblem(s.Err)
		r.start.scanned(s, plan{}, r.ready.Load(), now)
		return nil
	}
	r.state.checkProbation(now)
	r.state.problem = ""
	if !slices.ContainsFunc(s.Files, func(f watch.File) bool { return wanted(f.Name) }) && !r.ready.Load() {
		level := slog.LevelWarn
		if r.config.Beside != nil { // the modules of the other registry serve
			level = slog.LevelInfo
		}
		r.journal.logger.Log(ctx, level, "the module directory has no modules yet", "dir", r.config.Dir)
	}
	r.state.recordChecksums(s.Checksums, now)
	p := planScan(s, known{r.state.slots, r.queue.pending()}, now)
	r.start.scanned(s, p, r.ready.Load(), now)
	jobs := r.state.apply(p, now)
	served := servedNames(r.state.slots, r.start.before)
	kinds := map[string]bool{}
	for _, name := range served {
		kinds[ownerOf(name)] = true
	}
	for _, j := range jobs {
		_, j.served = served[j.name.Base]
	}
	return r.queue.update(p.dropped, jobs, kinds)
}

// finishScan schedules the next scan: a half-copied directory is read again soon.
func (r *Registry) finishScan(ctx context.Context, s Scan) {
	if s.Unsettled {
		r.again()
	}
	if ctx.Err() == nil {
		r.scheduleRetry()
	}
}

// served returns the modules that serve, or served before the restart, by base.
func (r *Registry) served() map[string]artifact.Name {
	r.mu.Lock()
	defer r.mu.Unlock()
	return servedNames(r.state.slots, r.start.before)
}

func servedNames(slots map[string]*slot, before map[string]artifact.Name) map[string]artifact.Name {
	served := maps.Clone(before)
	for base, s := range slots {
		if s.serving != nil {
			served[base] = s.serving.FileName()
		}
	}
	return served
}

// scheduleRetry schedules a scan for the first failure that may be retried, or the end of the first
// probation.
func (r *Registry) scheduleRetry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	jobs := r.queue.pending()
	next := r.state.nextCheck(func(base string) bool { return jobs[base] != nil })
	r.retry.Stop()
	if !next.IsZero() {
		r.retry.Reset(time.Until(next))
	}
}
