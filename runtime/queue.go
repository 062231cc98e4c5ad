package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"sync"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
)

// loadAll tries to load each of the jobs, as many at a time as there are processors and the most
// urgent first. It postpones jobs that overrun their try. During the first scan, the modules of a
// kind begin to serve together, as soon as all of the kind are loaded, rejected or postponed: one
// by one, a conversion could use a chain, or a module of lesser rank, because the right module is
// not loaded yet. Later, all modules of a scan begin to serve together.
//
// It returns false if ctx ended: then the modules that do not serve yet are closed.
func (r *Registry) loadAll(ctx context.Context, jobs []*job) bool {
	r.mu.Lock()
	r.waiting = slices.Clone(jobs)
	r.mu.Unlock()
	if len(jobs) > 0 {
		r.preempt()
	}
	defer r.resume()
	starting := !r.ready.Load()
	var wg sync.WaitGroup
	for range min(goruntime.GOMAXPROCS(0), len(jobs)) {
		wg.Go(func() { // ends when no job is left
			for j := r.next(); j != nil; j = r.next() {
				r.logger.Info("loading module", "module", j.name.File, "sha256", foreign.Digest(digestOf(j.file.Sum)), "bytes", len(j.file.Content))
				tried, end := load.WithTry(ctx, r.tryTime(j))
				r.loadJob(tried, j)
				end()
				if kind := r.finishTry(j, jobs, context.Cause(tried)); starting && ctx.Err() == nil {
					r.publishResults(kind)
				}
			}
		})
	}
	wg.Wait()
	if ctx.Err() == nil {
		return true
	}
	for _, j := range jobs { // before resume, after which postponed jobs belong to loadSlow
		if j.module != nil && !j.recorded {
			j.module.Close()
		}
	}
	return false
}

func (r *Registry) loadJob(ctx context.Context, j *job) {
	if j.unread != "" { // the checks in the sidecar are unknown
		j.err = fmt.Errorf("%s%s, which lies beside the module, cannot be read (%s): fix or delete it", j.name.Base, artifact.SidecarEnding, j.unread)
		return
	}
	j.module, j.err = r.load(ctx, j.name, j.file, j.beside)
}

// finishTry records that a job was tried, and returns all jobs of its kind if it was the last of
// them. cause is the reason if the try was ended.
func (r *Registry) finishTry(j *job, jobs []*job, cause error) (kind []*job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j.tried = true
	if j.err != nil && (errors.Is(cause, load.ErrOverran) || load.IsBusy(j.err)) {
		r.postpone(j)
	}
	for _, k := range jobs {
		if k.name.Group != j.name.Group || k.name.Kind != j.name.Kind {
			continue
		}
		if !k.tried {
			return nil
		}
		kind = append(kind, k)
	}
	return kind
}

// next removes the most urgent waiting job; nil if there is none.
func (r *Registry) next() *job {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		return nil
	}
	first := slices.MinFunc(r.waiting, r.byUrgency)
	r.waiting = slices.DeleteFunc(r.waiting, func(j *job) bool { return j == first })
	return first
}

// byUrgency orders waiting files. r.mu is held.
func (r *Registry) byUrgency(a, b *job) int {
	return cmp.Or(
		compareBools(r.isFirst(a), r.isFirst(b)),
		compareBools(a.wanted, b.wanted),
		cmp.Compare(len(a.file.Content), len(b.file.Content)), // small files first: many of them load in the time of a large one
		cmp.Compare(a.name.File, b.name.File),
	)
}

// isFirst reports whether a job is for a kind in Config.First. It includes modules for other
// versions: they may be part of a chain, and the kind serves when all its modules are loaded.
func (r *Registry) isFirst(j *job) bool {
	return slices.ContainsFunc(r.config.First, func(e artifact.Edge) bool { return e.Group == j.name.Group && e.Kind == j.name.Kind })
}

// Want moves the waiting modules of a kind before others, because a client has requested their
// conversions. It is fast, and stores nothing for kinds without a waiting module.
func (r *Registry) Want(group, kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range r.jobs {
		if j.name.Group == group && j.name.Kind == kind {
			j.wanted = true
		}
	}
}

// Waiting returns the number of modules that wait to be loaded, without those being loaded.
func (r *Registry) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.waiting)
}
