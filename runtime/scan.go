package runtime

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// scan reads a directory once and queues its new content. It does not wait for the loading. Only
// the goroutine of the directory's watcher calls it.
func (r *Registry) scan(ctx context.Context, d *followed) {
	r.journal.metrics.scans.Inc()
	s := d.scan(within(d.owner, r.served()))
	r.directories.scanning.Lock()
	defer r.directories.scanning.Unlock()
	if all, enough := r.directories.combine(d, s); enough {
		if r.config.Subscriber != nil {
			r.config.Subscriber.Scanned(all)
		}
		done := r.plan(d.owner, s.Err, all)
		r.publishResults(done)
		r.checkReady()
	}
	r.finishScan(ctx, d, s)
}

// plan decides about each file of a scan, and queues new content. It returns jobs with results that
// waited for content which is obsolete now. owner is whose directory was read for the scan, and
// unread the reason why it could not be.
func (r *Registry) plan(owner string, unread error, s Scan) (done []*job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.state.problems.record(owner, unread, r.journal)
	if s.Err != nil {
		r.start.scanned(s, plan{}, r.ready.Load(), now)
		return nil
	}
	r.state.checkProbation(now)
	if !slices.ContainsFunc(s.Files, func(f watch.File) bool { return wanted(plainName(f.Name)) }) && !r.ready.Load() {
		r.journal.logger.Warn("the module directory has no modules yet", "dir", r.config.dirs())
	}
	r.state.recordChecksums(r.directories.owners(), s.Checksums, now)
	p := planScan(s, known{r.state.entries, r.queue.pending(), r.state.reserved}, now)
	r.start.scanned(s, p, r.ready.Load(), now)
	jobs := r.state.apply(p, now)
	served := servedNames(r.state.entries, r.start.before)
	kinds := map[string]bool{}
	for _, name := range served {
		kinds[kindOf(name)] = true
	}
	for _, j := range jobs {
		_, j.served = served[j.name.Base]
	}
	return r.queue.update(p.dropped, jobs, kinds)
}

// finishScan schedules the next scan: a half-copied directory is read again soon.
func (r *Registry) finishScan(ctx context.Context, d *followed, s Scan) {
	if s.Unsettled {
		d.again()
	}
	if ctx.Err() == nil {
		r.scheduleRetry()
	}
}

// served returns the modules that serve, or served before the restart, by base.
func (r *Registry) served() map[string]artifact.Name {
	r.mu.Lock()
	defer r.mu.Unlock()
	return servedNames(r.state.entries, r.start.before)
}

func servedNames(entries map[string]*entry, before map[string]artifact.Name) map[string]artifact.Name {
	served := maps.Clone(before)
	for base, s := range entries {
		if s.serving != nil {
			served[base] = s.serving.FileName()
		}
	}
	return served
}

// scheduleRetry schedules a scan of each directory for the first failure that may be retried, or the
// end of the first probation.
func (r *Registry) scheduleRetry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	jobs := r.queue.pending()
	for _, d := range r.directories.all {
		next := r.state.nextCheck(d.owner, func(base string) bool { return jobs[base] != nil })
		d.retry.Stop()
		if !next.IsZero() {
			d.retry.Reset(time.Until(next))
		}
	}
}

// dirs returns the directories for a message.
func (c Config) dirs() string {
	var all []string
	for _, o := range c.Owners {
		all = append(all, o.Dir)
	}
	return strings.Join(all, ", ")
}
