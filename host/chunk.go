package host

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/internal/schema"
)

// A large review is converted in chunks, by as many workers at once as there are processors. A
// chunk fills one batch of a module, which is 256 KiB by default. If modules declare their fields,
// a chunk has more objects, because modules see only a part of each, but there are enough chunks
// for all workers.
const (
	minChunk        = 256 << 10 // bytes of objects
	maxChunk        = 1 << 20
	chunksPerWorker = 4
)

// chunk is a part of the objects that modules convert, all in one version, and the result of its
// conversion.
type chunk struct {
	source   int
	from, to int // the objects with index from to to-1 in the review that come in the version of the source
	bytes    int

	fail            *failure
	restored        int
	last            *hop // the last hop of the path, or its fallback
	validated       bool // the objects were validated against their schema
	invalid, pruned int
	violation       string // the first, in words
	unchecked       int    // objects whose check exceeded its budget
	uncheckedCause  string // the first, in words
}

// convert converts all objects that need a module. It returns the first failure in the order of the
// review, regardless of the order in which workers finish.
func (v *conversion) convert(ctx context.Context) *failure {
	v.cut()
	if len(v.chunks) == 0 {
		return nil
	}
	if v.definition != nil {
		v.budget = schema.NewBudget(ctx)
	}
	n := min(len(v.chunks), runtime.GOMAXPROCS(0))
	for len(v.workers) < n {
		v.workers = append(v.workers, newWorker(v))
	}
	if n == 1 {
		for i := range v.chunks {
			if !v.workers[0].convert(ctx, &v.chunks[i]) {
				break
			}
		}
	} else {
		v.convertInParallel(ctx, v.workers[:n])
	}
	for i := range v.chunks {
		c := &v.chunks[i]
		v.outcome.Restored += c.restored
		v.outcome.Invalid += c.invalid
		v.outcome.Pruned += c.pruned
		if v.outcome.Violation == "" {
			v.outcome.Violation = c.violation
		}
		v.outcome.Unchecked += c.unchecked
		if v.outcome.UncheckedCause == "" {
			v.outcome.UncheckedCause = c.uncheckedCause
		}
		if c.fail != nil {
			return c.fail
		}
	}
	return nil
}

// cut divides the objects that modules convert into chunks, in the order of the review.
func (v *conversion) cut() {
	v.chunks = v.chunks[:0]
	for i := range v.sources {
		v.sources[i].chunk = -1
	}
	projected := minChunk // limit for modules that declare fields
	if n := len(v.review.body); n > minChunk {
		projected = max(minChunk, min(maxChunk, n/(chunksPerWorker*runtime.GOMAXPROCS(0))))
	}
	for i := range v.objects {
		if v.objects[i].treatment != byModules {
			continue
		}
		s, o := &v.sources[v.objects[i].source], &v.review.objects[i]
		n, most := o.span.End-o.span.Start, minChunk
		if s.path.hops[0].fields != nil {
			most = projected
		}
		if s.chunk < 0 || v.chunks[s.chunk].bytes+n > most {
			s.chunk = len(v.chunks)
			v.chunks = append(v.chunks, chunk{source: v.objects[i].source, from: i})
		}
		c := &v.chunks[s.chunk]
		c.to, c.bytes = i+1, c.bytes+n
	}
}

// convertInParallel has workers convert the chunks; each takes the next free one. After a failure
// the chunks behind it are skipped.
func (v *conversion) convertInParallel(ctx context.Context, workers []*worker) {
	var next, end atomic.Int64 // chunks from end on are skipped
	end.Store(int64(len(v.chunks)))
	inParallel(len(workers), func(n int) {
		for {
			i := next.Add(1) - 1
			if i >= end.Load() {
				return
			}
			if workers[n].convert(ctx, &v.chunks[i]) {
				continue
			}
			for now := end.Load(); i < now && !end.CompareAndSwap(now, i); now = end.Load() {
			}
		}
	})
}

// inParallel calls f with 0 to n-1, each on its own goroutine, and waits for all. If a call panics,
// inParallel panics after the wait: on the goroutine of the review's caller, which can recover, and
// when no goroutine uses the review any more.
func inParallel(n int, f func(n int)) {
	var (
		wg       sync.WaitGroup
		panicked atomic.Value
	)
	for i := range n {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					panicked.CompareAndSwap(nil, fmt.Sprintf("%v, in a worker: %s", p, debug.Stack()))
				}
			}()
			f(i)
		})
	}
	wg.Wait()
	if p := panicked.Load(); p != nil {
		panic(p)
	}
}
