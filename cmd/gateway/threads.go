package main

import (
	"context"
	goruntime "runtime"
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// calm is how long nothing may meet a crowd before the threads are as many as the CPUs again. A
// change stops all goroutines for some 50 µs.
const calm = 10 * time.Second

// threads sets how many threads run Go code: one for each CPU, and twice as many while more reviews
// are converted, and files loaded, than there are CPUs. With one, a review that arrives while guests
// compute waits for its turn in Go's queue, behind slices of ten milliseconds of each; with two, the
// kernel runs it, for it prefers threads that have slept, and the slowest small reviews beside
// hostile modules took half of the time (make soak). But idle threads cost a review that comes alone
// some 5 % of its CPU time, for Go wakes them to look for work. It is safe for concurrent use.
type threads struct {
	cpus    int
	set     func(threads int)
	work    atomic.Int64 // reviews being converted and files being loaded
	began   time.Time    // so that a changed clock changes nothing
	crowded atomic.Int64 // when one last met a crowd, in nanoseconds since began
	doubled atomic.Bool
}

// newThreads counts the CPUs, for which limits also use GOMAXPROCS: they must have read it before
// the first review.
func newThreads() *threads {
	return &threads{cpus: goruntime.GOMAXPROCS(0), began: time.Now(), set: func(n int) { goruntime.GOMAXPROCS(n) }}
}

// reviewFunc converts a review, see host.Converter.Review.
type reviewFunc = func(ctx context.Context, body []byte) (answer []byte, outcome host.Outcome, invalid error)

// watch returns a function that converts as convert does, and counts as work.
func (t *threads) watch(convert reviewFunc) reviewFunc {
	return func(ctx context.Context, body []byte) ([]byte, host.Outcome, error) {
		t.begin()
		defer t.end()
		return convert(ctx, body)
	}
}

// working counts as work until done is called.
func (t *threads) working() (done func()) {
	t.begin()
	return t.end
}

func (t *threads) begin() {
	if t.work.Add(1) <= int64(t.cpus) {
		return
	}
	t.crowded.Store(int64(time.Since(t.began)))
	if t.doubled.CompareAndSwap(false, true) {
		go t.double()
	}
}

func (t *threads) end() { t.work.Add(-1) }

// double doubles the threads until the crowd is gone.
func (t *threads) double() {
	t.set(2 * t.cpus)
	for left := calm; left > 0; left = calm - (time.Since(t.began) - time.Duration(t.crowded.Load())) {
		time.Sleep(left)
	}
	t.set(t.cpus)
	t.doubled.Store(false) // last: a crowd that comes before it is met by what comes next
}
