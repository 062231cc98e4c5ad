package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// work loads the content of the queue until ctx ends: as many new files at a time as there are
// processors, and one slow file. It runs beside the scans, which do not wait for it.
func (r *Registry) work(ctx context.Context) {
	var workers sync.WaitGroup
	for range r.queue.most + 1 {
		workers.Go(func() { // ends with ctx
			for j, tried, end := r.queue.next(ctx); j != nil; j, tried, end = r.queue.next(ctx) {
				r.try(ctx, j, tried, end)
			}
		})
	}
	workers.Wait()
	r.queue.close()
}

// try loads a job once and records the results that are complete with it.
func (r *Registry) try(ctx context.Context, j *job, tried context.Context, end func() time.Duration) {
	done := r.config.Working()
	m, err := loadJob(tried, r.directories.of(j.name.Owner).source, r.load, j)
	done()
	cause := context.Cause(tried)
	took := end()
	finished := r.queue.finish(j, m, err, took, cause)
	if ctx.Err() != nil {
		return // close closes the module
	}
	if errors.Is(err, ErrChanged) {
		r.directories.of(j.name.Owner).again()
	}
	r.publishResults(finished)
	r.checkReady()
	r.scheduleRetry()
}

// loadFunc makes a module of a file and its sidecar.
type loadFunc func(context.Context, artifact.Name, watch.File, *watch.File) (*module.Module, error)

// loadJob reads the content of a job and loads it.
func loadJob(ctx context.Context, from source, load loadFunc, j *job) (*module.Module, error) {
	if j.unread != "" { // the checks in the sidecar are unknown
		return nil, fmt.Errorf("%s%s, which lies beside the module, cannot be read (%s): fix or delete it", j.name.Base, artifact.SidecarEnding, j.unread)
	}
	files := []watch.File{j.file}
	if j.beside != nil {
		files = append(files, *j.beside)
	}
	files, err := from.read(files...)
	if err != nil {
		return nil, err
	}
	if j.beside == nil {
		return load(ctx, j.name, files[0], nil)
	}
	return load(ctx, j.name, files[0], &files[1])
}
