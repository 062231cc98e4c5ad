package host

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// bulky returns n objects of some 10 KB, in two versions, and now and then one that no module sees.
func bulky(n int) []string {
	filler := strings.Repeat("x", 10_000)
	objects := make([]string, n)
	for i := range objects {
		objects[i] = fmt.Sprintf(`{"apiVersion":"stable.example.com/v%d","kind":"CronTab","metadata":{"name":"o-%d","resourceVersion":"7"},"spec":{"n":%d,"filler":"%s"}}`,
			[]int{1, 3, 1, 2}[i%4], i, i, filler)
	}
	return objects
}

// onProcessors runs a test with so many processors, even if the machine has fewer.
func onProcessors(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// TestChunksAgree: a large review is answered with the same bytes whether one lane converts it or
// several do.
func TestChunksAgree(t *testing.T) {
	var calls, most, now atomic.Int64
	m := &funcModule{One: func(from, to string, view []byte) ([]byte, string) {
		if strings.Contains(string(view), "resourceVersion") {
			t.Error("a module was shown a resourceVersion")
		}
		calls.Add(1)
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		time.Sleep(50 * time.Microsecond)
		return []byte(strings.Replace(string(view), from, to, 1)), ""
	}}
	c := converter(edges(m, "v1→v2", "v3→v1")...) // so v3 has two steps to go
	objects := bulky(400)
	body := []byte(reviewOf("v1", "stable.example.com/v2", objects...))
	var answers [2]string
	for i, processors := range []int{1, 4} {
		onProcessors(t, processors)
		answer, outcome, err := c.Review(context.Background(), body)
		if err != nil || outcome.Failure != "" {
			t.Fatal(err, outcome.Message)
		}
		if processors > 1 && most.Load() < 2 {
			t.Error("the module was never called twice at a time")
		}
		answers[i] = string(answer)
	}
	if answers[0] != answers[1] {
		t.Error("the answers differ")
	}
	if got := calls.Load(); got != 2*400 { // 200 in one step, 100 in two, 100 in none, twice
		t.Errorf("%d conversions", got)
	}
	for i := range objects {
		want := strings.Replace(objects[i], fmt.Sprintf("/v%d", []int{1, 3, 1, 2}[i%4]), "/v2", 1)
		if strings.Count(answers[1], want) != 1 {
			t.Fatalf("object %d is not in the answer, or more than once", i)
		}
	}
}

// TestFirstFailureIsReported: which object is told of does not depend on which lane is faster.
func TestFirstFailureIsReported(t *testing.T) {
	onProcessors(t, 4)
	const first, later = 150, 390 // shares apart
	m := &funcModule{One: func(from, to string, view []byte) ([]byte, string) {
		switch {
		case strings.Contains(string(view), `"n":`+strconv.Itoa(first)+`,`):
			time.Sleep(20 * time.Millisecond)
			return nil, "the first"
		case strings.Contains(string(view), `"n":`+strconv.Itoa(later)+`,`):
			return nil, "the later one"
		}
		return []byte(strings.Replace(string(view), from, to, 1)), ""
	}}
	body := reviewOf("v1", "stable.example.com/v2", bulky(400)...)
	for range 5 {
		_, outcome := runReview(t, converter(edges(m, "v1→v2", "v3→v2")...), body)
		if want := fmt.Sprintf("object %d (o-%d)", first, first); outcome.Failure != FailureRefused || !strings.Contains(outcome.Message, want) {
			t.Fatalf("%s: %s", outcome.Failure, outcome.Message)
		}
	}
}

// TestPanicInWorker: it reaches the goroutine that asked for the review, where the server contains
// it, and not before the other lanes have left the review alone.
func TestPanicInWorker(t *testing.T) {
	onProcessors(t, 4)
	var now atomic.Int64
	m := &funcModule{One: func(from, to string, view []byte) ([]byte, string) {
		now.Add(1)
		defer now.Add(-1)
		if strings.Contains(string(view), `"n":100,`) {
			panic("a bug")
		}
		time.Sleep(time.Millisecond)
		return []byte(strings.Replace(string(view), from, to, 1)), ""
	}}
	c := converter(edges(m, "v1→v2", "v3→v2")...)
	defer func() {
		p := fmt.Sprint(recover())
		if !strings.Contains(p, "a bug, in a worker: ") || !strings.Contains(p, "chunk_test.go") {
			t.Errorf("recovered %s", p)
		}
		if now.Load() != 0 {
			t.Errorf("%d conversions go on", now.Load())
		}
	}()
	_, _, _ = c.Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/v2", bulky(400)...)))
	t.Error("no panic")
}

// TestReplyBytesOfAllWorkers: the bound on outputs applies to all workers together.
func TestReplyBytesOfAllWorkers(t *testing.T) {
	onProcessors(t, 4)
	var calls atomic.Int64
	m := &funcModule{One: func(from, to string, view []byte) ([]byte, string) {
		calls.Add(1)
		return []byte(strings.Replace(string(view), from, to, 1)), ""
	}}
	body := reviewOf("v1", "stable.example.com/v2", bulky(400)...)
	c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(m, "v1→v2", "v3→v2"))}, Limits: Limits{ReplyBytes: 1 << 20}})
	_, outcome := runReview(t, c, body)
	if outcome.Failure != faults.Output || !strings.Contains(outcome.Message, "its answers exceed the limit of 1048576 bytes for one request") {
		t.Errorf("%s: %s", outcome.Failure, outcome.Message)
	}
	if n := calls.Load(); n > 300 {
		t.Errorf("all %d objects were converted", n)
	}
}

// TestDeadlineOfWorkers: once the time is up no lane calls a module.
func TestDeadlineOfWorkers(t *testing.T) {
	onProcessors(t, 4)
	ctx, cancel := context.WithCancel(context.Background())
	var calls atomic.Int64
	m := &funcModule{One: func(from, to string, view []byte) ([]byte, string) {
		cancel()
		calls.Add(1)
		return []byte(strings.Replace(string(view), from, to, 1)), ""
	}}
	_, outcome, err := converter(edges(m, "v1→v2", "v3→v2")...).Review(ctx, []byte(reviewOf("v1", "stable.example.com/v2", bulky(400)...)))
	if err != nil || outcome.Failure != faults.Deadline || calls.Load() >= 300 {
		t.Errorf("%v, %s: %s, after %d conversions", err, outcome.Failure, outcome.Message, calls.Load())
	}
}

// TestMemoryOfAReview checks docs/use/tasks.md, Sizing: beside its body, a review takes at most three
// times its bytes if outputs are as large as inputs: the inputs, the outputs, and the answer to the
// API server.
func TestMemoryOfAReview(t *testing.T) {
	m := &funcModule{One: func(from, to string, view []byte) ([]byte, string) {
		return bytes.Replace(view, []byte(from), []byte(to), 1), ""
	}}
	c := converter(edges(m, "v1→v2", "v3→v2")...)
	all := bulky(4000)
	for i := range all { // so that modules convert every one
		all[i] = strings.Replace(all[i], "/v2", "/v1", 1)
	}
	body := []byte(reviewOf("v1", "stable.example.com/v2", all...)) // 40 MB
	allocated := func() uint64 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.TotalAlloc
	}
	before := allocated()
	if _, outcome, err := c.Review(context.Background(), body); err != nil || outcome.Failure != "" {
		t.Fatal(err, outcome.Message)
	}
	if got := float64(allocated()-before) / float64(len(body)); got > 3.4 { // the rest: where in the body things are, which are written down twice if several read it, and the ends of blocks
		t.Errorf("%.2f times the body's bytes were allocated", got)
	}
}
