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
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// run tries to load each of the jobs, as many at a time as there are processors and the most wanted first; what overruns its try is put
// last. At the first pass the modules of a kind begin to serve as soon as all of that kind are loaded, refused or put last: not one by
// one, or a conversion could be done by a chain, or by a module of lesser rank, for want of the one that is due. Later all that changed
// together begins to serve together.
func (r *Registry) run(ctx context.Context, jobs []*job) {
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
				tried, end := module.WithTry(ctx, r.tryTime(j))
				r.load(tried, j)
				end()
				if kind := r.done(j, jobs, context.Cause(tried)); starting && ctx.Err() == nil {
					r.enter(kind)
				}
			}
		})
	}
	wg.Wait()
}

func (r *Registry) load(ctx context.Context, j *job) {
	if j.unread != "" { // what the sidecar demands of the module is not known, so that it cannot be held to it
		j.err = fmt.Errorf("%s%s, which lies beside the module, cannot be read (%s): fix or delete it", j.name.Base, artifact.SidecarEnding, j.unread)
		return
	}
	j.module, j.err = r.loader.Load(ctx, j.name, j.file, j.beside)
}

// done notes that a job was tried, and returns all jobs of its kind if it was the last of them. cause says why the try ended, if it was
// ended.
func (r *Registry) done(j *job, jobs []*job, cause error) (kind []*job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j.loaded = true
	if j.err != nil && (errors.Is(cause, module.ErrOverran) || module.IsBusy(j.err)) {
		r.postpone(j)
	}
	for _, k := range jobs {
		if k.name.Group != j.name.Group || k.name.Kind != j.name.Kind {
			continue
		}
		if !k.loaded {
			return nil
		}
		kind = append(kind, k)
	}
	return kind
}

// next takes the most wanted of the jobs that nobody has begun; nil if there is none.
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

// byUrgency orders files that wait. r.mu is held.
func (r *Registry) byUrgency(a, b *job) int {
	return cmp.Or(
		compareBools(r.isFirst(a), r.isFirst(b)),
		compareBools(a.wanted, b.wanted),
		cmp.Compare(len(a.file.Content), len(b.file.Content)), // many small ones serve before one large one would
		cmp.Compare(a.name.File, b.name.File),
	)
}

// isFirst says whether a job is for a kind that Config.First names: a module that is for other versions of it may be part of a chain, and
// the kind serves when all of it is loaded.
func (r *Registry) isFirst(j *job) bool {
	return slices.ContainsFunc(r.config.First, func(e artifact.Edge) bool { return e.Group == j.name.Group && e.Kind == j.name.Kind })
}

// Want has the modules of a kind that wait to be loaded go before others, because somebody has asked for their conversions. It is quick,
// may be called from any goroutine, and keeps nothing of kinds that no waiting module is for.
func (r *Registry) Want(group, kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range r.jobs {
		if j.name.Group == group && j.name.Kind == kind {
			j.wanted = true
		}
	}
}

// Waiting returns how many modules wait for their turn to be loaded; those being loaded are not counted.
func (r *Registry) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.waiting)
}
