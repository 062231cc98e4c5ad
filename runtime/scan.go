package runtime

import (
	"context"
	"log/slog"
	"slices"

	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
)

// scanFiles is the most files of a directory that are read: 256 for modules and their sidecars,
// which is three times the number of smallest modules in a ConfigMap, and as many for a Subscriber.
const scanFiles = 512

// scan reads the directory once and queues its new content. It does not wait for the loading. Only
// the watcher's goroutine calls it.
func (r *Registry) scan(ctx context.Context) {
	r.journal.metrics.scans.Inc()
	s := r.readDirectory()
	if r.config.Subscriber != nil {
		r.config.Subscriber.Scanned(s)
	}
	var done []*job
	if s.Err == nil {
		done = r.plan(ctx, s)
	}
	r.publishResults(done)
	r.mu.Lock()
	if s.Err != nil {
		r.state.recordProblem(s.Err)
	}
	r.start.scanned(s, time.Now())
	r.mu.Unlock()
	r.checkReady()
	r.finishScan(ctx, s)
}

// plan decides about each file of a scan, and queues new content. It returns jobs with results that
// waited for content which is obsolete now.
func (r *Registry) plan(ctx context.Context, s Scan) (done []*job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
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
	return r.queue.update(p.dropped, r.state.apply(p, now), r.state.kinds())
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

// source is the module directory.
func (r *Registry) source() source {
	limits := r.loader.Limits()
	return source{r.config.Dir, watch.ReadLimits{
		FileBytes: int64(limits.PackedBytes), TotalBytes: int64(limits.DirectoryBytes), Files: scanFiles, Lower: r.subscribed, Quiet: r.config.Quiet,
	}}
}

// subscribed returns the most bytes of a file that the subscriber reads; 0 for other files.
func (r *Registry) subscribed(name string) int64 {
	if r.config.Subscriber == nil {
		return 0
	}
	return r.config.Subscriber.FileLimit(name)
}

// readDirectory takes a snapshot and reads its checksums.
func (r *Registry) readDirectory() Scan {
	from := r.source()
	limits := from.limits
	limits.Content = func(name string) bool { return sums.Is(name) }
	snapshot, err := watch.Read(from.dir, limits, func(name string) bool { return wanted(name) || r.subscribed(name) > 0 })
	if err != nil {
		return Scan{Err: err}
	}
	return Scan{Snapshot: snapshot, Checksums: sums.Of(snapshot, r.config.Keys, leftOut(r.config.Dir, snapshot)), source: from}
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
