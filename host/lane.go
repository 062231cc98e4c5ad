package host

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A large review is converted in shares, on as many lanes at once as there are processors to run them. A share fills one batch of a module,
// which is 256 KiB by default; if modules are shown only the fields that they declare, it has more objects, but leaves work for all lanes.
const (
	minShare      = 256 << 10 // bytes of objects
	maxShare      = 1 << 20
	sharesOfALane = 4
)

// share is some of the objects that modules convert, all in one version, and what became of it.
type share struct {
	source   int
	from, to int // of the objects between these places in the review, those that come in the version of the source
	bytes    int

	fail            *failure
	restored        int
	last            *hop // the last on the way, as it was done
	held            bool // the objects were held against their schema
	invalid, pruned int
	violation       string // the first, in words
}

// lane converts shares of a review, one after the other, with what one goroutine needs for that. What it makes of objects lives in its
// memory until the review is answered.
type lane struct {
	*work
	checker   checker
	arena     arena
	projector projector
	recall    recall

	share    *share   // that is being converted
	batch    []int    // the objects that are being converted, by their index in the review
	views    [][]byte // of each of them, what the next module sees
	every    []int    // the positions of all of them in batch
	few      [][]byte // the views of some of them
	answered int      // bytes of what modules made of the batch on this hop

	crowding int64 // parts that the lane has its turn for, see crowd.go

	tapped  []tapped // objects of the batch whose conversion is told of
	refused int      // the object that a module refused, by its index in the review
	whole   []byte   // scratch for the object that is held against its schema
}

// cut divides the objects that modules convert into shares, in the order of the review.
func (w *work) cut() {
	w.shares = w.shares[:0]
	for i := range w.sources {
		w.sources[i].share = -1
	}
	shown := minShare // of what modules are shown a part
	if n := len(w.review.body); n > minShare {
		shown = max(minShare, min(maxShare, n/(sharesOfALane*runtime.GOMAXPROCS(0))))
	}
	for i := range w.objects {
		c := &w.objects[i]
		if c.how != byModules {
			continue
		}
		s, o := &w.sources[c.source], &w.review.objects[i]
		n, most := o.span.End-o.span.Start, minShare
		if s.path.hops[0].fields != nil {
			most = shown
		}
		if s.share < 0 || w.shares[s.share].bytes+n > most {
			s.share = len(w.shares)
			w.shares = append(w.shares, share{source: c.source, from: i})
		}
		p := &w.shares[s.share]
		p.to, p.bytes = i+1, p.bytes+n
	}
}

// walk converts all shares, and says what failed first, in the order of the review: whichever lane was faster.
func (w *work) walk(ctx context.Context) *failure {
	w.cut()
	n := 1
	if len(w.shares) > 1 {
		n = min(len(w.shares), runtime.GOMAXPROCS(0))
	}
	for len(w.lanes) < n {
		w.lanes = append(w.lanes, &lane{work: w, checker: checker{limits: w.limits}})
	}
	if n == 1 {
		for i := range w.shares {
			if p := &w.shares[i]; !w.lanes[0].run(ctx, p) {
				break
			}
		}
	} else {
		w.together(ctx, w.lanes[:n])
	}
	for i := range w.shares {
		p := &w.shares[i]
		w.outcome.Restored += p.restored
		w.outcome.Invalid += p.invalid
		w.outcome.Pruned += p.pruned
		if w.outcome.Violation == "" {
			w.outcome.Violation = p.violation
		}
		if p.fail != nil {
			return p.fail
		}
	}
	return nil
}

// together has lanes convert the shares, each the next that nobody has taken yet. After a failure the shares behind it are left alone.
func (w *work) together(ctx context.Context, lanes []*lane) {
	var next, end atomic.Int64 // shares from end on are not wanted any more
	end.Store(int64(len(w.shares)))
	atOnce(len(lanes), func(k int) {
		for {
			i := next.Add(1) - 1
			if i >= end.Load() {
				return
			}
			if lanes[k].run(ctx, &w.shares[i]) {
				continue
			}
			for now := end.Load(); i < now && !end.CompareAndSwap(now, i); now = end.Load() {
			}
		}
	})
}

// atOnce calls f with 0 to n-1, each on a goroutine of its own, and returns when all have. If one panics, so does atOnce then: on the
// goroutine of whoever asked for the review, who can contain it, and when nobody uses the review any more.
func atOnce(n int, f func(k int)) {
	var (
		wg       sync.WaitGroup
		panicked atomic.Value
	)
	for k := range n {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					panicked.CompareAndSwap(nil, fmt.Sprintf("%v, on a lane: %s", p, debug.Stack()))
				}
			}()
			f(k)
		})
	}
	wg.Wait()
	if p := panicked.Load(); p != nil {
		panic(p)
	}
}

// run converts a share and holds it against its schema, and says whether nothing failed.
func (l *lane) run(ctx context.Context, p *share) bool {
	l.answered = 0
	l.share = p
	if p.fail = l.walk(ctx, p); p.fail == nil && !p.held {
		p.fail = l.schemas(ctx, p)
	}
	return p.fail == nil
}

// settle notes how many bytes modules have made of the batch on this hop, and returns what all lanes hold together.
func (l *lane) settle(bytes int) int {
	grown := bytes - l.answered
	l.answered = bytes
	return int(l.work.answered.Add(int64(grown)))
}

// release lets go of everything that belongs to the review.
func (l *lane) release() {
	l.share = nil
	l.batch, l.views, l.every, l.few = empty(l.batch), empty(l.views), empty(l.every), empty(l.few)
	l.tapped = empty(l.tapped)
	if cap(l.whole) > arenaKeep {
		l.whole = nil
	}
	l.recall.release()
	l.arena.reset()
	l.projector.release()
	l.checker.release()
}
