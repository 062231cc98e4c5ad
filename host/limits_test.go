package host

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// tiny is an object whose answer is not much larger than the output of a module.
const tiny = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}}`

// TestOutputsOfAllReviewsAreBounded has two reviews at a time convert lists whose outputs fit one
// at a time only: the second is told to come again, a single object fits beside the first, and
// everything fits when the first has ended, by an answer or by a panic.
func TestOutputsOfAllReviewsAreBounded(t *testing.T) {
	const large = 900
	output := []byte(`{"apiVersion":"stable.example.com/v2","kind":"CronTab","spec":"` + strings.Repeat("x", large) + `"}`)
	reached, release := make(chan struct{}, 4), make(chan string)
	m := &funcModule{All: func(_ context.Context, _, _ string, objects [][]byte) ([][]byte, map[int]string, error) {
		out := make([][]byte, len(objects))
		for i := range out {
			out[i] = output
		}
		return out, nil, nil
	}}
	second := &funcModule{File: "slow.wasm", All: func(_ context.Context, _, _ string, objects [][]byte) ([][]byte, map[int]string, error) {
		reached <- struct{}{} // the outputs of the first hop are held
		if how := <-release; how == "panic" {
			panic(how)
		}
		return objects, nil, nil
	}}
	list := append(edges(m, "v1→v2"), edges(second, "v2→v3")...)
	c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(list)}, Limits: Limits{ReplyBytes: 6500, ObjectBytes: 1000}})
	toV2 := func(objects int) string {
		return reviewOf("v1", "stable.example.com/v2", slices.Repeat([]string{tiny}, objects)...)
	}
	for _, how := range []string{"answer", "panic"} {
		done := make(chan struct{})
		go func() { // ends when it is told how
			defer close(done)
			defer func() { _ = recover() }()
			_, _, _ = c.Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/v3", tiny, tiny, tiny, tiny, tiny, tiny)))
		}()
		select {
		case <-reached:
		case <-time.After(time.Minute):
			t.Fatal("the first review does not reach its second module")
		}
		for _, tc := range []struct {
			objects int
			failure string
			message string
		}{
			{6, faults.Busy, "its answers and those to other requests have more than the 6500 bytes that may be held at once (--max-reply-bytes)"},
			{3, faults.Busy, "the answer has 3112 bytes, and with what is held for other requests more than the 6500 that may be held at once (--max-reply-bytes) (try again"},
			{1, "", ""},
		} {
			if _, outcome := runReview(t, c, toV2(tc.objects)); outcome.Failure != tc.failure || !strings.Contains(outcome.Message, tc.message) {
				t.Errorf("%d objects beside the first review: %s: %s", tc.objects, outcome.Failure, outcome.Message)
			}
		}
		release <- how
		<-done
		if n := c.held.bytes.Load(); n != 0 {
			t.Errorf("after the %s, %d bytes are held", how, n)
		}
		if _, outcome := runReview(t, c, toV2(6)); outcome.Failure != "" {
			t.Errorf("after the %s: %s", how, outcome.Message)
		}
	}
}

// TestListHasRoomBesideLargeAnswers combines a module whose answers are much larger than its objects
// with a list of another kind, which is large itself and whose answers are not: the list has room while
// the reviews of the other kind hold all that may be held.
func TestListHasRoomBesideLargeAnswers(t *testing.T) {
	output := []byte(`{"apiVersion":"stable.example.com/v2","kind":"CronTab","spec":"` + strings.Repeat("x", 900) + `"}`)
	reached, release := make(chan struct{}), make(chan struct{})
	large := &funcModule{All: func(_ context.Context, _, _ string, objects [][]byte) ([][]byte, map[int]string, error) {
		return slices.Repeat([][]byte{output}, len(objects)), nil, nil
	}}
	slow := &funcModule{File: "slow.wasm", All: func(_ context.Context, _, _ string, objects [][]byte) ([][]byte, map[int]string, error) {
		close(reached) // the outputs of the first hop are held
		<-release
		return objects, nil, nil
	}}
	same := &funcModule{File: "same.wasm", One: func(_, to string, object []byte) ([]byte, string) {
		return []byte(strings.Replace(string(object), "stable.example.com/v4", to, 1)), ""
	}}
	list := slices.Concat(edges(large, "v1→v2"), edges(slow, "v2→v3"), edges(same, "v4→v5"))
	c := newConverter(ConverterConfig{Modules: Static(NewRoutes(list)), Limits: Limits{ReplyBytes: 6500, ObjectBytes: 1000}})
	done := make(chan struct{})
	go func() { // ends when it is released
		defer close(done)
		_, _, _ = c.Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/v3", slices.Repeat([]string{tiny}, 6)...)))
	}()
	<-reached
	object := strings.Replace(strings.TrimSuffix(tiny, "}"), "/v1", "/v4", 1) + `,"spec":"` + strings.Repeat("y", 400) + `"}`
	if _, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v5", slices.Repeat([]string{object}, 12)...)); outcome.Failure != "" {
		t.Errorf("%s: %s", outcome.Failure, outcome.Message)
	}
	close(release)
	<-done
}

// TestOneReviewAloneHoldsItsOutputs: a review that runs alone may exceed the bound for all reviews,
// because its hops together hold more than one answer may have.
func TestOneReviewAloneHoldsItsOutputs(t *testing.T) {
	grow := func(_, to string, _ []byte) ([]byte, string) {
		return []byte(`{"apiVersion":"` + to + `","kind":"CronTab","spec":"` + strings.Repeat("x", 400) + `"}`), ""
	}
	list := append(edges(&funcModule{One: grow}, "v1→v2"), edges(&funcModule{One: grow}, "v2→v3")...)
	c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(list)}, Limits: Limits{ReplyBytes: 3000, ObjectBytes: 1000}})
	if _, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v3", tiny, tiny, tiny, tiny)); outcome.Failure != "" {
		t.Error(outcome.Message)
	}
}

// TestConverterNeedsModules: a configuration without modules is refused, and not found out by the
// first review.
func TestConverterNeedsModules(t *testing.T) {
	if _, err := NewConverter(ConverterConfig{}); err == nil || err.Error() != "converter config: Modules is missing" {
		t.Error(err)
	}
}

// TestCachedOutputsAreHeld: outputs from the cache count like those of modules, because the cache
// may drop them while the review uses them.
func TestCachedOutputsAreHeld(t *testing.T) {
	output := `{"apiVersion":"stable.example.com/v2","kind":"CronTab","spec":"` + strings.Repeat("x", 900) + `"}`
	c := newConverter(ConverterConfig{
		Modules: Static(NewRoutes(edges(answers(output), "v1→v2"))), Cache: NewCache(1 << 20), Limits: Limits{ReplyBytes: 6500, ObjectBytes: 1000},
	})
	body := reviewOf("v1", "stable.example.com/v2", slices.Repeat([]string{tiny}, 6)...)
	if _, outcome := runReview(t, c, body); outcome.Failure != "" {
		t.Fatal(outcome.Message)
	}
	c.held.bytes.Add(1000) // by another review
	_, outcome := runReview(t, c, body)
	if outcome.Failure != faults.Busy || !strings.Contains(outcome.Message, "its answers and those to other requests") {
		t.Errorf("%s: %s", outcome.Failure, outcome.Message)
	}
}

// TestSplicedObjectAtTheLimit: the whole object that a module with declared fields makes may have
// ObjectBytes, and not a byte more.
func TestSplicedObjectAtTheLimit(t *testing.T) {
	m := answers(`{"spec":{"a":"` + strings.Repeat("x", 200) + `"}}`)
	m.Paths = []string{"spec.a"}
	object := strings.Replace(tiny, `"metadata"`, `"spec":{"a":"","b":"`+strings.Repeat("y", 300)+`"},"metadata"`, 1)
	size := len(object) + 200
	for limit, fails := range map[int]bool{size: false, size - 1: true} {
		c := newConverter(ConverterConfig{Modules: Static(NewRoutes(edges(m, "v1→v2"))), Limits: Limits{ObjectBytes: limit}})
		_, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", object))
		if fails != (outcome.Failure == FailureContract) || fails != strings.Contains(outcome.Message, "makes an object of") {
			t.Errorf("limit %d of %d: %s: %s", limit, size, outcome.Failure, outcome.Message)
		}
	}
}
