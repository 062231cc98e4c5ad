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

// startPatience bounds the wait at the start for a file that is being written: half of the default
// queue time of reviews. A file that is written for longer may be written for ever.
const startPatience = 10 * time.Second

// Subscriber reads files of the module directory that are not modules.
type Subscriber interface {
	// FileLimit returns the most bytes of a file that the subscriber reads; 0 for files that it
	// does not read.
	FileLimit(name string) int64
	// Scanned handles a scan, which includes the registry's files. The registry calls it while it
	// loads modules, never twice at a time, and does not scan again before it returns. Scanned
	// returns true to request another scan. It returns when ctx ends.
	Scanned(ctx context.Context, s Scan) (again bool)
}

// scan reads the directory once, loads its new modules, and publishes a new set if anything
// changed. Only the watcher's goroutine calls it.
func (r *Registry) scan(ctx context.Context) {
	r.metrics.scans.Inc()
	s := r.readDirectory()
	again := r.tellSubscriber(ctx, s)
	if s.Err != nil {
		r.recordProblem(s.Err)
		r.publishResults(nil)
		r.setReady()
	} else {
		r.loadNew(ctx, s)
	}
	r.finishScan(ctx, s, <-again)
}

// finishScan schedules the next scan: a half-copied directory is read again soon.
func (r *Registry) finishScan(ctx context.Context, s Scan, again bool) {
	if again || s.Unsettled {
		r.again()
	}
	if ctx.Err() == nil {
		r.scheduleRetry()
	}
}

// readDirectory takes a snapshot and reads its checksums.
func (r *Registry) readDirectory() Scan {
	limits := r.loader.Limits()
	other := func(string) int64 { return 0 }
	if r.config.Subscriber != nil {
		other = r.config.Subscriber.FileLimit
	}
	snapshot, err := watch.Read(r.config.Dir, watch.ReadLimits{
		FileBytes: int64(limits.PackedBytes), TotalBytes: int64(limits.DirectoryBytes), Files: scanFiles, Lower: other, Quiet: r.config.Quiet,
	}, func(name string) bool { return wanted(name) || other(name) > 0 })
	if err != nil {
		return Scan{Err: err}
	}
	return Scan{Snapshot: snapshot, Checksums: sums.Of(snapshot, r.config.Keys, leftOut(r.config.Dir, snapshot))}
}

// tellSubscriber gives a scan to the subscriber, if there is one. The channel receives its answer.
func (r *Registry) tellSubscriber(ctx context.Context, s Scan) <-chan bool {
	again := make(chan bool, 1)
	if r.config.Subscriber == nil {
		again <- false
		return again
	}
	go func() { again <- r.config.Subscriber.Scanned(ctx, s) }() // ends with the subscriber's call, which scan waits for
	return again
}

// loadNew plans a scan and loads the files that are new.
func (r *Registry) loadNew(ctx context.Context, s Scan) {
	r.mu.Lock()
	now := time.Now()
	r.checkProbation(now)
	r.problem = ""
	if !slices.ContainsFunc(s.Files, func(f watch.File) bool { return wanted(f.Name) }) && !r.ready.Load() {
		level := slog.LevelWarn
		if r.config.Beside != nil { // the modules of the other registry serve
			level = slog.LevelInfo
		}
		r.logger.Log(ctx, level, "the module directory has no modules yet", "dir", r.config.Dir)
	}
	r.recordChecksums(s.Checksums, now)
	jobs := r.enqueue(r.apply(planScan(s, known{r.slots, r.jobs}, now), now), now)
	r.mu.Unlock()

	if !r.loadAll(ctx, jobs) {
		return
	}
	r.publishResults(jobs)
	if !s.Unsettled || time.Since(r.began) > startPatience {
		r.setReady()
	}
}

// recordProblem records that the directory cannot be read, and logs it once.
func (r *Registry) recordProblem(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.problem != err.Error() {
		r.logger.Error("cannot read the module directory; loaded modules keep serving", "err", err)
	}
	r.problem = err.Error()
}

// setReady records the end of the first complete scan.
func (r *Registry) setReady() {
	if r.ready.Swap(true) {
		return
	}
	close(r.first)
	if r.config.OnReady != nil {
		r.config.OnReady()
	}
}

// scheduleRetry schedules a scan for the first failure that may be retried, or the end of the first
// probation.
func (r *Registry) scheduleRetry() {
	r.mu.Lock()
	var next time.Time
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for base, s := range r.slots {
		if s.failure != nil && r.jobs[base] == nil { // otherwise it is being retried
			sooner(s.failure.retryAt)
		}
		if s.previous != nil {
			_, _, until := s.previous.account()
			sooner(until)
		}
	}
	r.mu.Unlock()
	r.retry.Stop()
	if !next.IsZero() {
		r.retry.Reset(time.Until(next))
	}
}
