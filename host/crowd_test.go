package host

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// crowded is an object that has a declared part for every two bytes, 600 KB of it.
var crowded = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{"x":1,"list":[` + strings.Repeat("0,", 300_000) + `0]}}`

// TestCrowd: objects of very many parts are converted one after the other, and everything else beside them.
func TestCrowd(t *testing.T) {
	var at, most, small atomic.Int64
	inside := make(chan struct{}, 8)
	release := make(chan struct{})
	m := &funcModule{name: "m.wasm", fields: []string{"spec.x", "spec.list[].a"}, one: func(_, to string, object []byte) ([]byte, string) {
		if len(object) < 1000 {
			small.Add(1)
		} else {
			most.Store(max(most.Load(), at.Add(1)))
			defer at.Add(-1)
			inside <- struct{}{}
			<-release
		}
		return []byte(strings.Replace(strings.Replace(string(object), "/v1", "/v2", 1), `"x":1`, `"x":2`, 1)), ""
	}}
	c := NewConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(m, "v1→v2"))}, Limits: Limits{ObjectBytes: 700_000}})
	large := reviewOf("v1", "stable.example.com/v2", crowded)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { // ends when released
			if a, _ := runReview(t, c, large); a.Response.Result.Status != "Success" || !strings.Contains(string(a.Response.ConvertedObjects[0]), `"x":2,"list":[0,0,`) {
				t.Errorf("%.500s", a.Response.Result.Message)
			}
		})
	}
	<-inside // one has its turn
	if a, _ := runReview(t, c, reviewOf("v1", "stable.example.com/v2", strings.Replace(crowded, strings.Repeat("0,", 300_000), "", 1))); a.Response.Result.Status != "Success" || small.Load() != 1 {
		t.Errorf("a small object beside it: %s", a.Response.Result.Message)
	}
	time.Sleep(100 * time.Millisecond) // in which the others would have come, too
	if n := at.Load(); n != 1 {
		close(release)
		wg.Wait()
		t.Fatalf("%d at once, want 1", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	const late = "cannot convert object 0 (no name) of CronTab.stable.example.com from v1 to v2: the time for the request was up before module m.wasm (sha256:0123456789ab) was called " +
		"(try again; if it happens often, the gateway is overloaded or a module slow)"
	if _, outcome, err := c.Review(ctx, []byte(large)); err != nil || outcome.Message != late || outcome.Failure != FaultDeadline {
		t.Errorf("one whose time ends while it waits: %+v, %v", outcome, err)
	}
	close(release)
	wg.Wait()
	if most.Load() != 1 {
		t.Errorf("%d at once, want 1", most.Load())
	}
	if used, waiting := c.crowd.load(); used != 0 || waiting != 0 {
		t.Errorf("%d parts are held and %d wait after all have ended", used, waiting)
	}
}

// TestCrowdEnds: whatever becomes of a conversion, others have their turn.
func TestCrowdEnds(t *testing.T) {
	for name, one := range map[string]func(_, _ string, _ []byte) ([]byte, string){
		"refused":   func(_, _ string, _ []byte) ([]byte, string) { return nil, "no" },
		"a breach":  func(_, _ string, _ []byte) ([]byte, string) { return []byte("[]"), "" },
		"panicking": func(_, _ string, _ []byte) ([]byte, string) { panic("boom") },
	} {
		m := &funcModule{name: "m.wasm", fields: []string{"spec.list[].a"}, one: one}
		c := converter(edges(m, "v1→v2")...)
		func() {
			defer func() { _ = recover() }()
			_, _, _ = c.Review(t.Context(), []byte(reviewOf("v1", "stable.example.com/v2", crowded)))
		}()
		if used, _ := c.crowd.load(); used != 0 {
			t.Errorf("%s: %d parts are still held", name, used)
		}
	}
}
