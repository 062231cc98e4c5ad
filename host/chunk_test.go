package host

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

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

// TestLargeReview: a review of many chunks is answered with every object once, in order, and its
// modules see the objects of a version in batches of about chunkBytes.
func TestLargeReview(t *testing.T) {
	calls, most := 0, 0
	m := &funcModule{All: func(_ context.Context, from, to string, objects [][]byte) ([][]byte, map[int]string, error) {
		bytesOf := 0
		out := make([][]byte, len(objects))
		for i, view := range objects {
			if bytes.Contains(view, []byte("resourceVersion")) {
				t.Error("a module was shown a resourceVersion")
			}
			bytesOf += len(view)
			out[i] = bytes.Replace(view, []byte(from), []byte(to), 1)
		}
		calls, most = calls+1, max(most, bytesOf)
		return out, nil, nil
	}}
	c := converter(edges(m, "v1→v2", "v3→v1")...) // so v3 has two steps to go
	objects := bulky(400)
	a, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", objects...))
	if outcome.Failure != "" || len(a.Response.ConvertedObjects) != len(objects) {
		t.Fatal(outcome.Message)
	}
	for i, got := range a.Response.ConvertedObjects {
		if want := strings.Replace(objects[i], fmt.Sprintf("/v%d", []int{1, 3, 1, 2}[i%4]), "/v2", 1); string(got) != want {
			t.Fatalf("object %d is %.200s", i, got)
		}
	}
	if want := 8 + 2*4; calls != want || most > chunkBytes { // 200 objects of 10 KB in one step, 100 in two
		t.Errorf("%d calls, want %d, with up to %d bytes", calls, want, most)
	}
}

// TestFirstFailureIsReported: of several failures in a review, the first object's is reported.
func TestFirstFailureIsReported(t *testing.T) {
	const first, later = 150, 390 // chunks apart
	m := &funcModule{One: func(from, to string, view []byte) ([]byte, string) {
		switch {
		case strings.Contains(string(view), `"n":`+strconv.Itoa(first)+`,`):
			return nil, "the first"
		case strings.Contains(string(view), `"n":`+strconv.Itoa(later)+`,`):
			return nil, "the later one"
		}
		return []byte(strings.Replace(string(view), from, to, 1)), ""
	}}
	_, outcome := runReview(t, converter(edges(m, "v1→v2", "v3→v2")...), reviewOf("v1", "stable.example.com/v2", bulky(400)...))
	if want := fmt.Sprintf("object %d (o-%d)", first, first); outcome.Failure != FailureRefused || !strings.Contains(outcome.Message, want) {
		t.Fatalf("%s: %s", outcome.Failure, outcome.Message)
	}
}

// TestReplyBytesOfAllChunks: the bound on outputs applies to all chunks together.
func TestReplyBytesOfAllChunks(t *testing.T) {
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

// TestDeadlineBetweenChunks: no module is called after the deadline.
func TestDeadlineBetweenChunks(t *testing.T) {
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

// TestFullChunk: objects that fill a chunk to its last byte are converted in one call, and another
// byte needs a second call.
func TestFullChunk(t *testing.T) {
	for extra, want := range []int{1, 2} {
		calls := 0
		m := &funcModule{All: func(_ context.Context, _, _ string, objects [][]byte) ([][]byte, map[int]string, error) {
			calls++
			return slices.Repeat([][]byte{[]byte(`{}`)}, len(objects)), nil, nil
		}}
		object := func(bytes int) string {
			const start, end = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":"`, `"}`
			return start + strings.Repeat("x", bytes-len(start)-len(end)) + end
		}
		_, outcome := runReview(t, converter(edges(m, "v1→v2")...), reviewOf("v1", "stable.example.com/v2", object(chunkBytes/2), object(chunkBytes/2+extra)))
		if outcome.Failure != "" || calls != want {
			t.Errorf("%d bytes more than a chunk: %d calls, want %d; %s", extra, calls, want, outcome.Message)
		}
	}
}

// TestOutcomeOfChunks: the words are those of the first chunk that has some, and the numbers are sums.
func TestOutcomeOfChunks(t *testing.T) {
	var o Outcome
	for _, c := range []chunk{
		{restored: 1},
		{invalid: 2, violation: "first", unchecked: 1, uncheckedCause: "first cause"},
		{pruned: 3, violation: "second", unchecked: 1, uncheckedCause: "second cause"},
		{restored: 1},
	} {
		o.count(&c)
	}
	want := Outcome{Restored: 2, Invalid: 2, Pruned: 3, Violation: "first", Unchecked: 2, UncheckedCause: "first cause"}
	if o != want {
		t.Errorf("%+v, want %+v", o, want)
	}
}
