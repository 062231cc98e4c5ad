package host

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
)

// predecessor is a module that stands by for another.
type predecessor struct {
	*funcModule

	mu   sync.Mutex
	told []string // by FellBack: the kinds of failure
	why  string   // the last message
}

func (p *predecessor) FellBack(failure, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told, p.why = append(p.told, failure), message
}

// Digest is another than that of the module which it stands by for.
func (p *predecessor) Digest() string { return strings.Repeat("fedcba9876543210", 4) }

const cronFile = "CronTab.stable.example.com_v1_v2.wasm"

// succeeding returns the edge from v1 to v2 of a module for which another stands by.
func succeeding(now, previous *funcModule) (Edge, *predecessor) {
	now.File, previous.File = cronFile, cronFile
	p := &predecessor{funcModule: previous}
	return Edge{"stable.example.com", "CronTab", "v1", "v2", now, p}, p
}

// faulty returns a module that comes to nothing.
func faulty(fault string) *funcModule {
	return &funcModule{All: func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
		return nil, nil, crontabs.Fault(fault, "it came to nothing")
	}}
}

func TestFallback(t *testing.T) {
	const bad, good = `{"kind":"Other"}`, `{"spec":{"by":"previous"}}`
	refusing := func(why string) *funcModule {
		return &funcModule{One: func(_, _ string, _ []byte) ([]byte, string) { return nil, why }}
	}
	short := func() *funcModule {
		return &funcModule{All: func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
			return nil, nil, nil
		}}
	}
	for _, test := range []struct {
		name          string
		now, previous *funcModule
		want          string // in the answer
		failure       string
		told          string // the failures that the previous version was told
	}{
		{"good answers", answers(`{"spec":{"by":"new"}}`), answers(good), `"by":"new"`, "", ""},
		{"a broken contract", answers(bad), answers(good), `"by":"previous"`, "", FailureContract},
		{"too few answers", short(), answers(good), `"by":"previous"`, "", FailureContract},
		{"a trap", faulty(faults.Trap), answers(good), `"by":"previous"`, "", faults.Trap},
		{"a rest", faulty(faults.Breaker), answers(good), `"by":"previous"`, "", faults.Breaker},
		{"a call that took too long", faulty(faults.Deadline), answers(good), `"by":"previous"`, "", faults.Deadline},
		{"no instance", faulty(faults.Busy), answers(good), "it came to nothing", faults.Busy, ""},
		{"both break the contract", answers(bad), answers(`{"apiVersion":"g/v9"}`), "a conversion may not change the kind", FailureContract, ""},
		{"the one before fails", answers(bad), faulty(faults.Trap), "a conversion may not change the kind", FailureContract, ""},
		{"the one before has no instance", faulty(faults.Fuel), faulty(faults.Busy), "failed: it came to nothing (it loops", faults.Fuel, ""},
		{"the one before refuses", answers(bad), refusing("not this one"), "not this one [refused by module " + cronFile + " (sha256:fedcba987654)]", FailureRefused, FailureContract},
		{"a refusal is no failure", refusing("not this one"), answers(good), "not this one [refused by module " + cronFile + " (sha256:0123456789ab)]", FailureRefused, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			edge, p := succeeding(test.now, test.previous)
			answer, outcome, err := converter(edge).Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/v2", cron)))
			if err != nil || outcome.Failure != test.failure || !strings.Contains(string(answer), test.want) {
				t.Errorf("%+v, %v\n%s\nwant %s, %s", outcome, err, answer, test.failure, test.want)
			}
			if got := strings.Join(p.told, " "); got != test.told {
				t.Errorf("the version before was told of %q, want %q", got, test.told)
			}
			if test.told != "" && !strings.HasPrefix(p.why, "cannot convert object 0 (default/my-cron) of CronTab.stable.example.com from v1 to v2: module "+cronFile+" (sha256:0123456789ab) ") {
				t.Errorf("it was told %q", p.why)
			}
		})
	}
}

// TestFallbackDeclaresOtherFields: the previous version sees the fields that it declares itself,
// regardless of the new version's, and its answer is put into the original object.
func TestFallbackDeclaresOtherFields(t *testing.T) {
	const head = `{"apiVersion":"stable.example.com/v1","kind":"CronTab"`
	whole := strings.NewReplacer(`"managedFields":[{"manager":"kubectl"}],`, ``, `"resourceVersion":"4711",`, ``).Replace(cron)
	converted := func(object string) string { return strings.Replace(object, "/v1", "/v2", 1) }
	spec := strings.Index(cron, `,"spec"`)
	for _, test := range []struct {
		name          string
		now, previous []string // the fields that they declare; nil: none
		saw           string   // the previous version's view
		answer, want  string
	}{
		{"the newer has some", []string{"spec.hostPort"}, nil, whole, `{"spec":1}`, converted(cron[:spec] + `,"spec":1}`)},
		{"the newer has none", nil, []string{"spec.cronSpec"}, head + `,"spec":{"cronSpec":"* * * * */5"}}`, `{"spec":{"cronSpec":1}}`, converted(strings.Replace(cron, `"* * * * */5"`, `1`, 1))},
		{"others", []string{"spec.hostPort"}, []string{"spec.cronSpec"}, head + `,"spec":{"cronSpec":"* * * * */5"}}`, `{"spec":{"cronSpec":1}}`, converted(strings.Replace(cron, `"* * * * */5"`, `1`, 1))},
		{"more", []string{"spec.cronSpec"}, []string{"spec"}, head + `,"spec":{"cronSpec":"* * * * */5","hostPort":"localhost:8080"}}`, `{"spec":1}`, converted(cron[:spec] + `,"spec":1}`)},
		{"nothing", []string{"spec.cronSpec"}, []string{}, head + `}`, `{}`, converted(cron)},
		{"the same", []string{"spec.cronSpec"}, []string{"spec.cronSpec"}, head + `,"spec":{"cronSpec":"* * * * */5"}}`, `{"spec":{}}`, converted(strings.Replace(cron, `"cronSpec":"* * * * */5",`, ``, 1))},
	} {
		// Answers are taken before one is found to be wrong: the second object's, on the second hop
		// or the first.
		for _, now := range []*funcModule{faulty(faults.Trap), {One: func(_, _ string, view []byte) ([]byte, string) {
			if strings.Contains(string(view), `"last"`) {
				return []byte(`{"kind":"Other"}`), ""
			}
			return []byte(`{"metadata":{"labels":{"by":"new"}},"spec":{"hostPort":"new"}}`), ""
		}}} {
			for _, chain := range []bool{false, true} {
				t.Run(test.name, func(t *testing.T) {
					now.Paths = test.now
					if now.Paths != nil {
						now.Paths = append([]string{"metadata.labels", "metadata.name"}, now.Paths...)
					}
					var saw []string
					previous := &funcModule{Paths: test.previous, One: func(_, _ string, view []byte) ([]byte, string) {
						saw = append(saw, string(view))
						return []byte(test.answer), ""
					}}
					edge, p := succeeding(now, previous)
					routes, object := []Edge{edge}, cron
					if chain { // by way of a module that changes nothing
						routes = append(routes, edges(&funcModule{Paths: []string{}, One: func(_, _ string, _ []byte) ([]byte, string) { return []byte(`{}`), "" }}, "v0→v1")...)
						object = strings.Replace(cron, "/v1", "/v0", 1)
					}
					last := strings.Replace(object, "my-cron", "last", 1)
					a, outcome := runReview(t, converter(routes...), reviewOf("v1", "stable.example.com/v2", object, last))
					if outcome.Failure != "" || len(a.Response.ConvertedObjects) != 2 || !slices.Equal(p.told, p.told[:1]) {
						t.Fatalf("%+v; %s; told of %q", outcome, a.Response.Result.Message, p.told)
					}
					for i, renamed := range []func(string) string{func(s string) string { return s }, func(s string) string { return strings.Replace(s, "my-cron", "last", 1) }} {
						if saw[i] != renamed(test.saw) {
							t.Errorf("of object %d the version before saw\n%s, want\n%s", i, saw[i], renamed(test.saw))
						}
						if got := string(a.Response.ConvertedObjects[i]); got != renamed(test.want) {
							t.Errorf("object %d became\n%s, want\n%s", i, got, renamed(test.want))
						}
					}
				})
			}
		}
	}
}

// TestFallbackOfOneChunk: in a large review, the previous version converts only the chunk that the
// module failed.
func TestFallbackOfOneChunk(t *testing.T) {
	objects := bulky(400)
	relabel := func(from, to string, view []byte) []byte { return []byte(strings.Replace(string(view), from, to, 1)) }
	now := &funcModule{Paths: []string{"spec.n"}, All: func(_ context.Context, from, to string, views [][]byte) ([][]byte, map[int]string, error) {
		out := make([][]byte, len(views))
		for i, view := range views {
			if strings.Contains(string(view), `"n":100}`) {
				return nil, nil, crontabs.Fault(faults.Trap, "trap")
			}
			out[i] = relabel(from, to, view)
		}
		return out, nil, nil
	}}
	var stoodIn atomic.Int64
	previous := &funcModule{One: func(from, to string, view []byte) ([]byte, string) {
		stoodIn.Add(1)
		return relabel(from, to, view), ""
	}}
	edge, p := succeeding(now, previous)
	whole := edge // the previous version's outputs for all objects
	whole.Module, whole.Previous = edge.Previous, nil
	other := edges(&funcModule{One: func(from, to string, view []byte) ([]byte, string) { return relabel(from, to, view), "" }}, "v3→v2")
	body := reviewOf("v1", "stable.example.com/v2", objects...)
	a, outcome := runReview(t, converter(append(other, edge)...), body)
	want, _ := runReview(t, converter(append(other, whole)...), body)
	if outcome.Failure != "" || !slices.EqualFunc(a.Response.ConvertedObjects, want.Response.ConvertedObjects, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
		t.Fatalf("%+v: the answer is not what the version before would have answered", outcome)
	}
	if n := stoodIn.Load() - 200; n < 1 || n > 26 || len(p.told) != 1 { // one chunk of the 200 objects in v1; all 200 for the expected answer
		t.Errorf("the version before converted %d objects, and was told of %q", n, p.told)
	}
}

// TestFallbackNeedsTime: a timed-out review does not fall back.
func TestFallbackNeedsTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	now := &funcModule{All: func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
		cancel()
		return nil, nil, crontabs.Fault(faults.Trap, "trap")
	}}
	previous := &funcModule{One: func(_, _ string, _ []byte) ([]byte, string) {
		t.Error("the version before was asked")
		return []byte(`{}`), ""
	}}
	edge, _ := succeeding(now, previous)
	if _, outcome, err := converter(edge).Review(ctx, []byte(reviewOf("v1", "stable.example.com/v2", cron))); err != nil || outcome.Failure != faults.Trap {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// TestProbationAndCache: a module on probation converts every object anew, and neither its outputs
// nor the previous version's are cached.
func TestProbationAndCache(t *testing.T) {
	now := relabeling()
	p := &predecessor{funcModule: answers(`{"spec":{"cronSpec":"previous"}}`)}
	cache := NewCache(1 << 20)
	on := func(e Edge) *Converter {
		routes := NewRoutes([]Edge{e})
		cache.Keep(routes)
		return newConverter(ConverterConfig{Modules: &fixedModules{routes: routes}, Cache: cache})
	}
	edge := Edge{"stable.example.com", "CronTab", "v1", "v2", now, p}
	proving := on(edge)
	for range 2 {
		if answer, outcome := ask(t, proving, cronNamed("a", "")); outcome.Failure != "" || strings.Contains(answer, "previous") {
			t.Errorf("%+v: %s", outcome, answer)
		}
	}
	now.One = func(_, _ string, _ []byte) ([]byte, string) { return []byte(`{"kind":"Other"}`), "" }
	if answer, outcome := ask(t, proving, cronNamed("a", ""), cronNamed("a", "")); outcome.Failure != "" || strings.Count(answer, `"cronSpec":"previous"`) != 2 {
		t.Errorf("%+v: %s", outcome, answer)
	}
	if n, entries := now.calls.Load(), cache.Stats().Entries; n != 3 || entries != 0 {
		t.Errorf("the module was called %d times; %d answers are kept", n, entries)
	}
	now.One = relabeling().One
	edge.Previous = nil
	proved := on(edge)
	for range 2 {
		if answer, outcome := ask(t, proved, cronNamed("a", "")); outcome.Failure != "" || strings.Contains(answer, "previous") {
			t.Errorf("%+v: %s", outcome, answer)
		}
	}
	if n, entries := now.calls.Load(), cache.Stats().Entries; n != 4 || entries != 2 { // the output, and the answer to the whole review
		t.Errorf("after the probation the module was called %d times; %d answers are kept", n, entries)
	}
}

// TestFallbackReplyBytes: the failed module's outputs no longer count, so the fallback's outputs
// may fit where those were too large.
func TestFallbackReplyBytes(t *testing.T) {
	for _, failure := range []string{FailureContract, faults.Output} {
		t.Run(failure, func(t *testing.T) {
			first := true
			now := &funcModule{One: func(_, _ string, _ []byte) ([]byte, string) {
				if first || failure == faults.Output {
					first = false
					return []byte(`{"a":"` + strings.Repeat("x", 2500) + `"}`), ""
				}
				return []byte(`{"kind":"Other"}`), ""
			}}
			edge, p := succeeding(now, answers(`{"a":"`+strings.Repeat("y", 1000)+`"}`))
			c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes([]Edge{edge})}, Limits: Limits{ReplyBytes: 4000}})
			if _, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", cron, cron)); outcome.Failure != "" || !slices.Equal(p.told, []string{failure}) {
				t.Errorf("%+v, told of %q", outcome, p.told)
			}
		})
	}
}

// TestFallbackForSchema: where schemas are enforced, the fallback's invalid outputs fail too; where
// they are not, both versions' are reported.
func TestFallbackForSchema(t *testing.T) {
	const good, bad, worse = `{"spec":{"host":"a"}}`, `{"spec":{"host":1}}`, `{"spec":{"host":1,"x":1}}`
	const named = "object 0 (default/my-cron), converted by module " + cronFile
	for _, test := range []struct {
		name          string
		now, previous string
		enforce       bool
		chain         bool // the module on probation is the first of two
		failure       string
		violation     string
		told          string
	}{
		{"enforced", bad, good, true, false, "", "", FailureSchema},
		{"both break it", bad, worse, true, false, FailureSchema, "", ""},
		{"the one before breaks the contract", bad, `{"kind":"Other"}`, true, false, FailureSchema, "", ""},
		{"reported", bad, good, false, false, "", named + " (sha256:0123456789ab): spec.host: must be a string, not a number", ""},
		{"reported of the one before", `{"kind":"Other"}`, bad, false, false, "", named + " (sha256:fedcba987654): spec.host: must be a string, not a number", FailureContract},
		{"on the way", bad, good, true, true, FailureSchema, "", ""}, // the next module may put it right; this one does not
	} {
		t.Run(test.name, func(t *testing.T) {
			edge, p := succeeding(answers(test.now), answers(test.previous))
			list, object := []Edge{edge}, cron
			if test.chain {
				list[0].From, list[0].To, object = "v0", "v1", strings.Replace(cron, "/v1", "/v0", 1)
				list = append(list, edges(answers(bad), "v1→v2")...)
			}
			c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(list)}, Schemas: crontabs.Schema(t), EnforceSchemas: test.enforce})
			a, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", object))
			if outcome.Failure != test.failure || outcome.Violation != test.violation || strings.Join(p.told, " ") != test.told {
				t.Errorf("%+v, told of %q", outcome, p.told)
			}
			want := 0
			if test.failure != "" || test.violation != "" {
				want = 1
			}
			if n := outcome.Invalid + outcome.Pruned; n != want {
				t.Errorf("%d violations are counted, want %d", n, want)
			}
			if test.failure != "" && !strings.Contains(a.Response.Result.Message, "(sha256:0123456789ab) broke the schema of v2: spec.host: must be a string, not a number") {
				t.Error(a.Response.Result.Message)
			}
		})
	}
}

// TestStandInOnTheWayIsNotHeldAgainstTheSchema: the previous version's output on an intermediate
// hop is not validated, because a later module still converts it.
func TestStandInOnTheWayIsNotHeldAgainstTheSchema(t *testing.T) {
	edge, p := succeeding(faulty(faults.Trap), answers(`{"spec":{"host":1}}`))
	edge.From, edge.To = "v0", "v1"
	list := append([]Edge{edge}, edges(answers(`{"spec":{"host":"a"}}`), "v1→v2")...)
	c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(list)}, Schemas: crontabs.Schema(t), EnforceSchemas: true})
	_, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", strings.Replace(cron, "/v1", "/v0", 1)))
	if outcome.Failure != "" || !slices.Equal(p.told, []string{faults.Trap}) {
		t.Errorf("%+v, told of %q", outcome, p.told)
	}
}
