package shadow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// converting is a module that a function implements: it converts an object, refuses it, or fails.
type converting struct {
	name, digest string
	convert      func(object string) (answer, refusal string, err error)
	fields       []string // declared fields
}

func (m *converting) Fields(_, _ string) []string { return m.fields }

func (m *converting) Name() string   { return m.name }
func (m *converting) Digest() string { return m.digest }

func (m *converting) Convert(_ context.Context, _, _ string, objects [][]byte) (converted [][]byte, refused map[int]string, err error) {
	for i, o := range objects {
		answer, refusal, err := m.convert(string(o))
		if err != nil {
			return nil, nil, err
		}
		converted = append(converted, []byte(answer))
		if refusal != "" {
			if refused == nil {
				refused = map[int]string{}
			}
			refused[i], converted[i] = refusal, nil
		}
	}
	return converted, refused, nil
}

// answering returns a module that returns the same result for every object.
func answering(name, answer string) *converting {
	return &converting{name: name, digest: name + "-digest", convert: func(string) (string, string, error) { return answer, "", nil }}
}

// trap is a fault, like those of the runtime.
type trap struct{ error }

func (trap) Fault() string       { return faults.Trap }
func (trap) Object() (int, bool) { return 0, false }

func edge(m host.Module) host.Edge {
	return host.Edge{Group: "g.example.com", Kind: "K", From: "v1", To: "v2", Module: m}
}

// exchange is a set of modules that a test replaces.
type exchange struct{ routes atomic.Pointer[host.Routes] }

func (x *exchange) Pin() (*host.Routes, func())    { return x.routes.Load(), func() {} }
func (*exchange) Missed(_, _ string)               {}
func (*exchange) Loading(_, _ string) host.Loading { return host.Loading{} }

// bench is a Shadow over shadow modules and serving modules that a test sets.
type bench struct {
	*Shadow
	t                testing.TB
	serving, shadows exchange
	live             *host.Converter
	log              bytes.Buffer // guarded by logged
	logged           sync.Mutex
}

func (b *bench) Write(p []byte) (int, error) {
	b.logged.Lock()
	defer b.logged.Unlock()
	return b.log.Write(p)
}

func newBench(t testing.TB, share float64, reg prometheus.Registerer) *bench {
	b := &bench{t: t}
	converter := func(cfg host.ConverterConfig) *host.Converter {
		c, err := host.NewConverter(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	b.Shadow = New(Config{
		Share: share, Registerer: reg, Logger: slog.New(slog.NewTextHandler(b, nil)),
		Review: converter(host.ConverterConfig{Modules: &b.shadows}).Review,
	})
	b.live = converter(host.ConverterConfig{Modules: &b.serving, Mirror: b.Shadow})
	return b
}

func (b *bench) serve(m host.Module) { b.serving.routes.Store(host.NewRoutes([]host.Edge{edge(m)})) }

func (b *bench) follow(m host.Module) {
	b.shadows.routes.Store(host.NewRoutes([]host.Edge{edge(m)}))
	b.Follow([]host.Edge{edge(m)})
}

func (b *bench) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); b.Run(ctx) }() // ends with the test
	b.t.Cleanup(func() { cancel(); <-done })
}

const object = `{"apiVersion":"g.example.com/v1","kind":"K","metadata":{"name":"n","uid":"u"},"spec":{"a":1}}`

// review converts objects with the serving module.
func (b *bench) review(objects ...string) host.Outcome {
	b.t.Helper()
	_, outcome, err := b.live.Review(b.t.Context(), []byte(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"g.example.com/v2","objects":[`+strings.Join(objects, ",")+`]}}`))
	if err != nil {
		b.t.Fatal(err)
	}
	return outcome
}

func (b *bench) status() Status {
	list := b.Status()
	if len(list) != 1 {
		b.t.Fatalf("%d edges: %+v", len(list), list)
	}
	return list[0]
}

func (b *bench) until(event string, ok func(Status) bool) Status {
	b.t.Helper()
	var st Status
	eventually.Succeeds(b.t, event, func() error { // each run is followed by a pause nine times as long
		if st = b.status(); !ok(st) {
			return fmt.Errorf("%+v", st)
		}
		return nil
	})
	return st
}

func (s Status) done() int64 { return s.Same + s.Different + s.Failed + s.Dropped }

func TestOutcomes(t *testing.T) {
	meta := `"apiVersion":"g.example.com/v2","kind":"K","metadata":{"name":"n","uid":"u"},`
	refusing := func(string) (string, string, error) { return "", "not today", nil }
	for _, tc := range []struct {
		name             string
		serves, proposed func(string) (string, string, error)
		answer, proposal string   // used if the functions are nil
		fields           []string // that the shadow module declares
		want             string
		log              string // without time and common fields
	}{
		{name: "the same", answer: `{"spec":{"a":1,"b":[2]}}`, proposal: "{ \"spec\": {\"b\": [2], \"a\": 1} }", want: "same 1"},
		{name: "the gateway restores metadata in both", answer: `{"spec":1}`, proposal: `{` + meta + `"spec":1}`, want: "same 1"},
		{name: "another value, with its path only", answer: `{"spec":{"a":"secret","b":[{"c":1},{"c":2}]}}`, proposal: `{"spec":{"a":"hidden","b":[{"c":3},{"c":4}],"d":true}}`,
			want: "different 1 [{spec.a 1} {spec.b[].c 1} {spec.d 1}]", log: `msg="shadow module's result differs from the serving module's" paths="spec.a, spec.b[].c, spec.d"`},
		{name: "another text of a number", answer: `{"spec":1}`, proposal: `{"spec":1.0}`, want: "different 1 [{spec 1}]", log: `msg="shadow module's result differs from the serving module's" paths=spec`},
		{name: "labels count", answer: `{"spec":1}`, proposal: `{"metadata":{"labels":{"x.y/z":"1"}},"spec":1}`, want: "different 1 [{metadata.labels 1}]",
			log: `msg="shadow module's result differs from the serving module's" paths=metadata.labels`},
		{name: "a shadow module that sees only the declared fields", fields: []string{"spec.a"}, proposed: func(saw string) (string, string, error) {
			return strings.Replace(strings.Replace(saw, "/v1", "/v2", 1), `"a":1`, `"a":2`, 1), "", nil
		}, answer: `{"spec":{"a":2,"b":3}}`, want: "different 1 [{spec.b 1}]", log: `msg="shadow module's result differs from the serving module's" paths=spec.b`},
		{name: "the shadow module refuses", answer: `{"spec":1}`, proposed: refusing, want: "different 1 [{(the shadow module refuses the object) 1}]",
			log: `msg="shadow module's result differs from the serving module's" paths="(the shadow module refuses the object)"`},
		{name: "the serving module refuses", serves: refusing, proposal: `{"spec":1}`, want: "different 1 [{(the serving module refuses the object) 1}]",
			log: `msg="shadow module's result differs from the serving module's" paths="(the serving module refuses the object)"`},
		{name: "both refuse", serves: refusing, proposed: refusing, want: "same 1"},
		{name: "the shadow module traps", answer: `{"spec":1}`, proposed: func(string) (string, string, error) { return "", "", trap{errors.New("unreachable")} },
			want: "failed 1 map[trap:1] module new (sha256:new-digest) failed: unreachable (a bug of the module: tell its author)",
			log:  `msg="shadow module failed where the serving module did not" reason=trap err="module new (sha256:new-digest) failed: unreachable (a bug of the module: tell its author)"`},
		{name: "the shadow module violates the contract", answer: `{"spec":1}`, proposal: `{"metadata":{"name":"other"}}`,
			want: "failed 1 map[contract:1] module new (sha256:new-digest) broke the conversion contract: its answer changes metadata.name; name, namespace and uid must stay as they are or be left out",
			log:  `msg="shadow module failed where the serving module did not" reason=contract err="module new (sha256:new-digest) broke the conversion contract: its answer changes metadata.name; name, namespace and uid must stay as they are or be left out"`},
		{name: "the shadow module panics", answer: `{"spec":1}`, proposed: func(string) (string, string, error) { panic("boom") }, want: "failed 1 map[internal:1] the gateway failed while running the shadow module; its log has the reason"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, 1, prometheus.NewRegistry())
			old, next := answering("old", tc.answer), answering("new", tc.proposal)
			if tc.serves != nil {
				old.convert = tc.serves
			}
			if tc.proposed != nil {
				next.convert = tc.proposed
			}
			next.fields = tc.fields
			b.serve(old)
			b.follow(next)
			b.run()
			b.review(object)
			st := b.until("an outcome", func(st Status) bool { return st.done() == 1 })
			got := fmt.Sprintf("same %d", st.Same)
			switch {
			case st.Different > 0:
				got = fmt.Sprintf("different %d %v", st.Different, st.Paths)
			case st.Failed > 0:
				got = fmt.Sprintf("failed %d %v %s", st.Failed, st.Failures, st.LastFailure)
			}
			if got != tc.want || st.Module != "new" || st.Digest != "new-digest" || st.Against != "old" || st.AgainstDigest != "old-digest" || st.Kind != "K.g.example.com" || st.From != "v1" || st.To != "v2" {
				t.Errorf("got  %s\nwant %s\n%+v", got, tc.want, st)
			}
			for _, result := range []string{"same", "different", "failed", "dropped"} {
				if v := testutil.ToFloat64(b.total.WithLabelValues("new", "K.g.example.com", "v1", "v2", result)); v != map[bool]float64{true: 1}[strings.HasPrefix(tc.want, result)] {
					t.Errorf("the metric has %v for %s", v, result)
				}
			}
			b.logged.Lock()
			defer b.logged.Unlock()
			log := regexp.MustCompile(`time=\S+ level=WARN | module=new sha256=new-digest kind=K group=g.example.com from=v1 to=v2`).ReplaceAllString(b.log.String(), "")
			if !strings.Contains(tc.name, "panics") && strings.TrimSpace(log) != tc.log {
				t.Errorf("log  %s\nwant %s", log, tc.log)
			}
			if strings.Contains(b.log.String(), "secret") || strings.Contains(b.log.String(), "hidden") {
				t.Error("a value is in the log")
			}
		})
	}
}

// TestResultsBeginAnew: results belong to one shadow module and one serving module; when either is
// replaced, counting begins anew.
func TestResultsBeginAnew(t *testing.T) {
	b := newBench(t, 1, prometheus.NewRegistry())
	b.serve(answering("old", `{"spec":1}`))
	b.follow(answering("new", `{"spec":2}`))
	b.run()
	b.review(object)
	b.until("a difference", func(st Status) bool { return st.Different == 1 })

	b.follow(answering("new", `{"spec":2}`)) // the same again
	if st := b.status(); st.Different != 1 {
		t.Errorf("%+v", st)
	}
	better := answering("new", `{"spec":1}`)
	better.digest = "better"
	b.follow(better)
	if st := b.status(); st.done() != 0 || st.Digest != "better" || st.Against != "" {
		t.Errorf("%+v", st)
	}
	b.review(object)
	b.until("the better one", func(st Status) bool { return st.Same == 1 })
	b.serve(answering("other", `{"spec":3}`))
	b.review(object)
	if st := b.until("a comparison with the other", func(st Status) bool { return st.Different == 1 }); st.Same != 0 || st.Against != "other" {
		t.Errorf("%+v", st)
	}
	if n := testutil.CollectAndCount(b.total); n != 4 {
		t.Errorf("%d series", n)
	}
	b.Follow(nil)
	if n := testutil.CollectAndCount(b.total); n != 0 || len(b.Status()) != 0 {
		t.Errorf("%d series without shadow modules, %v", n, b.Status())
	}
	b.review(object)
}

// TestDropped: reviews do not wait for a shadow module; while it works or pauses, conversions that
// do not fit the queue are dropped.
func TestDropped(t *testing.T) {
	b := newBench(t, 1, prometheus.NewRegistry())
	working, release := make(chan struct{}), make(chan struct{})
	slow := answering("new", "")
	slow.convert = func(string) (string, string, error) {
		working <- struct{}{}
		<-release
		return `{"spec":1}`, "", nil
	}
	b.serve(answering("old", `{"spec":1}`))
	b.follow(slow)
	b.run()
	b.review(object)
	<-working // the worker is busy now, and the queue empty
	for range queueLength + 10 {
		if o := b.review(object); o.Failure != "" {
			t.Fatal(o.Message)
		}
	}
	if st := b.status(); st.Dropped != 10 {
		t.Errorf("%d dropped, want 10: %+v", st.Dropped, st)
	}
	close(release)
	go func() { // ends when the queue is empty
		for range queueLength {
			<-working
		}
	}()
	b.until("the rest", func(st Status) bool { return st.Same == queueLength+1 })
	if n := b.queued.Load(); n != 0 {
		t.Errorf("%d bytes are still counted as queued", n)
	}
}

// TestDroppedForSize: the queue has a limit in bytes, too.
func TestDroppedForSize(t *testing.T) {
	b := newBench(t, 1, prometheus.NewRegistry())
	large := strings.Replace(object, `"a":1`, `"a":"`+strings.Repeat("x", 3<<20)+`"`, 1)
	b.serve(&converting{name: "old", digest: "old-digest", convert: func(o string) (string, string, error) { return strings.Replace(o, "/v1", "/v2", 1), "", nil }})
	b.follow(answering("new", `{"spec":1}`))
	for range 5 { // Run does not run
		b.review(large)
	}
	if st := b.status(); st.Dropped != 3 || b.queued.Load() > queueBytes {
		t.Errorf("%d dropped, want 3; %d bytes queued", st.Dropped, b.queued.Load())
	}
}

func TestShare(t *testing.T) {
	b := newBench(t, 0.5, prometheus.NewRegistry())
	b.serve(answering("old", `{"spec":1}`))
	b.follow(answering("new", `{"spec":1}`))
	objects := slices.Repeat([]string{object}, 2000)
	b.review(objects...)
	if n := len(b.queue) + int(b.status().Dropped); n < 800 || n > 1200 { // 1,000 ± 9 standard deviations
		t.Errorf("%d of 2,000 were wanted for a share of 0.5", n)
	}
	none := newBench(t, 0, prometheus.NewRegistry())
	none.serve(answering("old", `{"spec":1}`))
	none.follow(answering("new", `{"spec":1}`))
	none.review(objects...)
	if n := len(none.queue) + int(none.status().Dropped); n != 0 {
		t.Errorf("%d were wanted for a share of 0", n)
	}
}

// TestRest: all runs together take a tenth of one CPU, however long the queue is.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes, runs = 20 * time.Millisecond, 4
		b := newBench(t, 1, prometheus.NewRegistry())
		busy := answering("new", "")
		busy.convert = func(string) (string, string, error) { time.Sleep(takes); return `{"spec":1}`, "", nil }
		b.serve(answering("old", `{"spec":1}`))
		b.follow(busy)
		b.review(slices.Repeat([]string{object}, runs)...)
		b.run()
		time.Sleep(runs*takes + (runs-1)*pauseFactor*takes - 1)
		if done := b.status().Same; done != runs-1 {
			t.Errorf("%d runs ended early, want %d", done, runs-1)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if done := b.status().Same; done != runs {
			t.Errorf("%d runs ended, want %d", done, runs)
		}
	})
}

// TestPathsAreBounded: the number of kept paths has a limit.
func TestPathsAreBounded(t *testing.T) {
	b := newBench(t, 1, prometheus.NewRegistry())
	var n atomic.Int64
	b.serve(answering("old", `{"spec":{}}`))
	b.follow(&converting{name: "new", digest: "new-digest", convert: func(string) (string, string, error) {
		return fmt.Sprintf(`{"spec":{"x%d":1,"y%[1]d":1}}`, n.Add(1)), "", nil
	}})
	b.run()
	for range 15 {
		b.review(object)
	}
	st := b.until("all", func(st Status) bool { return st.done() == 15 })
	if len(st.Paths) != maxPaths || st.Elsewhere != 5 || st.Different != 15 {
		t.Errorf("%+v", st)
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf(`"k%d":1`, i))
	}
	if p := paths([]byte(`{}`), []byte("{"+strings.Join(many, ",")+"}")); len(p) != maxPaths+1 {
		t.Errorf("%d paths of one object", len(p))
	}
}
