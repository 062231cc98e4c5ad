package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
)

// canary is in every object of these tests: in its spec, its labels and its annotations, as sent
// and as converted.
const canary = "canary-7f3a"

const (
	canaryMeta   = `"annotations":{"note":"` + canary + `"},"labels":{"app":"` + canary + `"}`
	canaryObject = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{` + canaryMeta + `,"name":"my-cron","namespace":"default","uid":"1"},"spec":{"a":"` + canary + `"}}`
)

// message is the message of an observed failure.
type message struct{ failure, text string }

// everyFailure has every failure happen, over the wire.
func everyFailure(t *testing.T) []message {
	t.Helper()
	var all []message
	all = append(all, everyFailedReview(t)...)
	all = append(all, everyRejection(t)...)
	return all
}

// failing is a review that fails, or is rejected.
type failing struct {
	query     string
	body      string
	module    *funcModule // converts v1 to v2; nil = one that answers {}
	more      []host.Edge
	failed    []host.FailedModule
	loading   host.Loading
	limits    host.Limits
	enforce   bool                               // check against cronSchema
	unread    bool                               // the same, before the definition was read
	costly    bool                               // the same, against crontabs.CostlySchema
	cancelled bool                               // the review's time is up from the start
	beside    func(*host.Converter) (end func()) // begins another review; nil: none
}

// answering is a review of one object that a module answers.
func answering(answer string) failing {
	answer = strings.Replace(answer, "{", `{"spec":"`+canary+`",`, 1)
	return failing{body: reviewOf("v1", "stable.example.com/v2", canaryObject), module: answers(strings.Replace(answer, ",}", "}", 1))}
}

// projecting is a review of one object that a module answers which declares fields.
func projecting(fields, object, answer string, limits ...host.Limits) failing {
	m := answers(answer)
	m.Paths = strings.Fields(fields)
	f := failing{body: reviewOf("v1", "stable.example.com/v2", object), module: m}
	if limits != nil {
		f.limits = limits[0]
	}
	return f
}

// sending is a review of objects as they are, which no module converts.
func sending(objects ...string) failing {
	return failing{body: reviewOf("v1", "stable.example.com/v2", objects...)}
}

// faulting is a review that a module brings to nothing.
func faulting(err error, objects ...string) failing {
	if objects == nil {
		objects = []string{canaryObject}
	}
	return failing{body: reviewOf("v1", "stable.example.com/v2", objects...), module: &funcModule{All: func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
		return nil, nil, err
	}}}
}

// crowded is a review whose outputs, or whose answer, find no room beside those of another review.
func crowded(desired, query string) failing {
	long := `{"a":"` + strings.Repeat("x", 2000) + `"}`
	objects := slices.Repeat([]string{canaryObject}, 3)
	reached, release := make(chan struct{}), make(chan struct{})
	waiting := &funcModule{All: func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
		close(reached)
		<-release
		return nil, nil, crontabs.Fault(faults.Trap, "the module trapped: unreachable")
	}}
	return failing{
		query: query, body: reviewOf("v1", "stable.example.com/"+desired, objects...),
		module: answers(long), more: append(edges(answers(long), "v2→v3"), edges(waiting, "v2→v9")...),
		limits: host.Limits{ObjectBytes: 2200, ReplyBytes: 9800},
		beside: func(c *host.Converter) func() {
			done := make(chan struct{})
			go func() { // ends with release
				defer close(done)
				_, _, _ = c.Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/v9", objects...)))
			}()
			<-reached
			return func() { close(release); <-done }
		},
	}
}

func failingReviews(t *testing.T) []failing {
	with := func(old, replacement string) failing {
		return sending(strings.Replace(canaryObject, old, replacement, 1))
	}
	review := func(old, replacement string) failing {
		f := sending(canaryObject)
		f.body = strings.Replace(f.body, old, replacement, 1)
		return f
	}
	route := func(kind, from, to string, edges ...host.Edge) failing {
		object := strings.NewReplacer(`/v1"`, "/"+from+`"`, `"CronTab"`, `"`+kind+`"`).Replace(canaryObject)
		return failing{body: reviewOf("v1", "stable.example.com/"+to, object), more: edges}
	}
	refusing := func(why string) failing {
		f := faulting(nil)
		f.module.All = nil
		f.module.One = func(string, string, []byte) ([]byte, string) { return nil, why }
		return f
	}
	long := strings.Repeat("x", 2<<20)
	note := `"note":"` + canary + long[:256<<10-len("note"+canary)] + `"` // all that annotations may have
	stashing := sending(strings.Replace(canaryObject, `"note":"`+canary+`"`, note, 1))
	stashing.module = answers(`{"metadata":{"annotations":{` + note + `,"conversion.stable.example.com/stash":"{}"}}}`)
	one := edges(answers("{}"), "v3→v4")
	all := []failing{
		refusing("spec.hostPort has no port"), refusing(" "), stashing,

		route("Other", "v1", "v2"), route(`Ot\"her`, "v1", "v2"), route("crontab", "v1", "v2"), route("CronTab", "v1", "v9"), route("CronTab", "v9", "v2"),
		route("CronTab", "v2", "v1"), route("CronTab", "v2", "v3", one...), route("CronTab", "v1", "v4", one...),
		route("CronTab", "v2", "v5", manyEdges(t)...),
		{body: route("Other", "v1", "v2").body, failed: []host.FailedModule{{Group: "stable.example.com", Kind: "Other", File: "Other.stable.example.com_v1_v2.wasm", Reason: "it does not export memory"}}},
		{body: route("Other", "v1", "v2").body, loading: host.Loading{File: "Other.stable.example.com_v1_v2.wasm", Since: time.Now()}}, {body: route("Other", "v1", "v2").body, loading: host.Loading{File: "Other.stable.example.com_v1_v2.wasm", Since: time.Now().Add(-time.Hour)}},
		{body: route("CronTab", "v1", "v9").body, loading: host.Loading{File: "CronTab.stable.example.com_v1_v9.wasm", Since: time.Now()}}, {body: route("CronTab", "v1", "v9").body, loading: host.Loading{File: "CronTab.stable.example.com_v1_v9.wasm", Since: time.Now().Add(-time.Hour)}},

		answering(``), answering(`[]`), answering(`{`), answering(`{"a":` + strings.Repeat("[", 1001)), answering(`{"a":1,"a":2}`), answering("{\"a\":\"" + canary + "\xff\"}"),
		answering(`{"a":"` + long + `"}`), answering(`{"apiVersion":"v1"}`), answering(`{"apiVersion":null}`), answering(`{"kind":"Other"}`),
		answering(`{"metadata":{"name":"` + canary + `"}}`), answering(`{"metadata":{"labels":1}}`), answering(`{"metadata":{"labels":{"a":1}}}`),
		answering(`{"metadata":{"labels":{"a b":"` + canary + `"}}}`), answering(`{"metadata":{"labels":{"a":"` + canary + `!"}}}`), answering(`{"metadata":{"annotations":{"a b":"` + canary + `"}}}`),
		answering(`{"metadata":{"annotations":{"a":"` + canary + long[:200<<10] + `","b":"` + long[:200<<10] + `"}}}`),
		answering(`{"metadata":{"annotations":{"a":"` + canary + long[:256<<10] + `"}}}`),
		answering(`{"Metadata":{}}`),

		projecting("spec.b", canaryObject, `{"spec":{"a":"`+canary+`"}}`), projecting("spec.b", canaryObject, `{"spec":1}`), projecting("spec.b", canaryObject, `{"metadata":{"labels":{"a":"b"}}}`),
		projecting("spec.a[].b", strings.Replace(canaryObject, `"a":`, `"a":[{},{}],"b":`, 1), `{"spec":{"a":[{}]}}`), projecting("spec.a.b", canaryObject, `{"spec":{"a":{"b":1}}}`),
		projecting("spec.a.b spec.a[].b", strings.Replace(canaryObject, `"a":`, `"a":{"c":1},"b":`, 1), `{"spec":{"a":[]}}`), projecting("spec", canaryObject, `{"spec":"`+long+`"}`),
		projecting("spec", strings.Replace(canaryObject, "{", `{"s":"`+long+`",`, 1), `{"spec":"`+long[:1<<20]+`"}`, host.Limits{ObjectBytes: 3 << 20}),
		projecting("spec", strings.Replace(canaryObject, `"spec"`, `"Metadata"`, 1), `{}`),
		{body: sending(canaryObject).body, module: &funcModule{File: "one.wasm", Paths: []string{"spec."}}},
		projecting("spec.a[].b", strings.Replace(canaryObject, `"a":`, `"a":[`+strings.Repeat("0,", 131_072)+`0],"b":`, 1), `{}`),

		{body: sending(canaryObject).body, module: answers(`{"spec":{"host":"` + canary + `","` + "replica" + `":1}}`), enforce: true},
		{body: sending(canaryObject).body, module: answers(`{"spec":{"replicas":"` + canary + `"}}`), enforce: true},
		{body: sending(canaryObject).body, unread: true},
		{body: sending(canaryObject).body, module: answers(`{"spec":{"host":"a","list":[` + strings.Repeat("1,", 3000) + `1]}}`), costly: true},

		with(canaryObject, `"`+canary+`"`), with(canaryObject, "null"), with(`"apiVersion":"stable.example.com/v1",`, ""), with(`"stable.example.com/v1"`, "1"),
		with(`stable.example.com/v1`, ""), with(`stable.example.com/v1`, "v1"), with(`stable`, "other"), sending(canaryObject, strings.Replace(canaryObject, "Tab", "Job", 1)),
		with(`"metadata":{`, `"metadata":1,"m":{`), with(`"labels":{`, `"labels":"`+canary+`","l":{`), sending(canaryObject, canaryObject, canaryObject, canaryObject),
		sending(strings.Replace(canaryObject, "{", `{"a":"`+long+long+`",`, 1)),
		review(`"desiredAPIVersion"`, `"x"`), review(`"stable.example.com/v2"`, `""`), review(`"stable.example.com/v2"`, `2`), review(`stable.example.com/v2`, `v2`),
		review(`"objects"`, `"x"`), review(`"objects":[`, `"objects":{},"x":[`),
		with(`"spec":{`, `"spec":{"a":1,`), with(`"spec"`, `"kind"`), review(`"response":{`, `"response":{"uid":1,`),

		{query: "?timeout=30s", body: faulting(nil).body, module: faulting(crontabs.Fault(faults.Busy, "all 2 instances of the module were busy for 5s")).module},
		crowded("v2", ""), crowded("v2", "?timeout=30s"), crowded("v3", ""),
		{body: sending(canaryObject).body, cancelled: true},
		{body: sending(canaryObject).body, module: answers(`{"a":"` + long[:1<<20] + `"}`), limits: host.Limits{ReplyBytes: 1 << 20}},
		{body: sending(canaryObject).body, module: answers(`{"a":"` + canary + `"}`), limits: host.Limits{ReplyBytes: 200}},
	}
	wrongCount := faulting(nil)
	wrongCount.module.All = func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
		return nil, nil, nil
	}
	late := failing{body: sending(canaryObject).body, enforce: true}
	late.module = &funcModule{All: func(ctx context.Context, _, _ string, _ [][]byte) ([][]byte, map[int]string, error) {
		ctx.Value(cancelKey{}).(context.CancelFunc)()
		return [][]byte{[]byte(`{}`)}, nil, nil
	}}
	all = append(all, wrongCount, late)
	for _, fault := range runtimeFaults(t) {
		all = append(all, faulting(fault))
	}
	all = append(all, faulting(runtimeFaults(t)[0], canaryObject, canaryObject))
	for _, body := range []string{
		`{`, `[]`, `{}`, `{"kind":"Other"}`, `{"kind":1}`, `{"kind":""}`, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v2"}`, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}`,
		`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":1}`,
		strings.Replace(goodReview, `"uid"`, `"x"`, 1), strings.Replace(goodReview, `"u-1"`, "1", 1), strings.Replace(goodReview, `"u-1"`, `""`, 1), strings.Replace(goodReview, `u-1`, long[:2000], 1),
	} {
		all = append(all, failing{body: body})
	}
	return all
}

// manyEdges is more edges than a message lists, among them some that two modules share.
func manyEdges(t *testing.T) []host.Edge {
	t.Helper()
	var all []host.Edge
	for i := range 19 {
		all = append(all, edges(&funcModule{File: fmt.Sprintf("m%d.wasm", i)}, fmt.Sprintf("v10%d→v5", i))...)
	}
	return append(append(all, edges(&funcModule{File: "there.wasm"}, "v999→v998", "v997→v996", "v996→v997")...), edges(&funcModule{File: "back.wasm"}, "v998→v999")...)
}

// unreadDefinition are host.Schemas of which one is being read.
type unreadDefinition struct{ host.Schemas }

func (unreadDefinition) Find(string, string) *schema.CRD { return nil }
func (unreadDefinition) Unread(string, string) (string, time.Time) {
	return "crontabs.stable.example.com.crd.yaml", time.Unix(0, 0)
}

type cancelKey struct{}

// everyFailedReview posts the failing reviews to one server and returns the answers. The log must
// not have the content of an object.
func everyFailedReview(t *testing.T) (all []message) {
	var now failing
	var outcome host.Outcome
	costly := crontabs.CostlySchema(t) // which takes long to read
	r := start(t, func(c *ServerConfig) {
		c.Review = func(ctx context.Context, body []byte) (answer []byte, _ host.Outcome, err error) {
			module := now.module
			if module == nil {
				module = answers("{}")
			}
			config := host.ConverterConfig{Modules: &fixedModules{routes: host.NewRoutes(append(edges(module, "v1→v2"), now.more...), now.failed...), loading: now.loading}, Limits: now.limits}
			config.Limits.Objects = 3
			if now.enforce {
				config.Schemas, config.EnforceSchemas = crontabs.Schema(t), true
			}
			if now.unread {
				config.Schemas, config.EnforceSchemas = unreadDefinition{}, true
			}
			if now.costly {
				config.Schemas, config.EnforceSchemas = costly, true
			}
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			if now.cancelled {
				cancel()
			}
			c := newConverter(config)
			if now.beside != nil {
				defer now.beside(c)()
			}
			answer, outcome, err = c.Review(context.WithValue(ctx, cancelKey{}, cancel), body)
			return answer, outcome, err
		}
	})
	r.report.quiet.every = 0 // every line is written
	for _, now = range failingReviews(t) {
		resp, text := r.send(t, r.request(t, http.MethodPost, "/convert"+now.query, strings.NewReader(now.body)))
		if resp.StatusCode != 200 {
			all = append(all, message{codeLabel(resp.StatusCode), strings.TrimSuffix(text, "\n")})
			continue
		}
		var got failedAnswer
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.Response.Result.Status != "Failed" {
			t.Errorf("%.300s does not fail, but is answered %.300s (%v)", now.body, text, err)
			continue
		}
		all = append(all, message{outcome.Failure, got.Response.Result.Message})
	}
	if log := r.log.String(); strings.Contains(log, canary) || strings.Count(log, "\n") < len(all) {
		t.Errorf("the log has what is in an object, or not every failure:\n%s", log)
	}
	return all
}

// everyRejection has the server refuse requests before it looks into them, or give up.
func everyRejection(t *testing.T) (all []message) {
	release := make(chan struct{})
	var review func(ctx context.Context) // the behaviour of a review
	answer := []byte("{}")
	ready := errors.New("starting: modules are loading")
	configure := func(c *ServerConfig) {
		c.MaxBodyBytes, c.QueueWait, c.StartGrace = 20_000, time.Millisecond, time.Hour
		c.Ready = func() error { return ready }
		c.Review = func(ctx context.Context, _ []byte) ([]byte, host.Outcome, error) {
			review(ctx)
			return answer, host.Outcome{}, nil
		}
	}
	r := start(t, configure)
	asked := r
	ask := func(method, path, body string, headers ...string) {
		resp, text := asked.sendUntilAnswered(t, func() *http.Request {
			req := asked.request(t, method, path, strings.NewReader(body))
			for i := 0; i < len(headers); i += 2 {
				req.Header.Set(headers[i], headers[i+1])
			}
			return req
		})
		m := message{codeLabel(resp.StatusCode), strings.TrimSuffix(text, "\n")}
		if resp.StatusCode == 200 {
			var got failedAnswer
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Errorf("%s: %v", text, err)
			}
			m = message{faults.Internal, got.Response.Result.Message}
			if strings.Contains(path, "timeout") {
				m.failure = faults.Deadline
			}
		}
		all = append(all, m)
	}
	ask("POST", "/convert", goodReview) // 503
	ready = nil
	ask("POST", "/", goodReview)
	ask("GET", "/convert", "")
	ask("POST", "/convert", goodReview, "Content-Type", "application/yaml")
	ask("POST", "/convert", goodReview, "Content-Encoding", "gzip")
	ask("POST", "/convert", strings.Repeat(" ", 20_001))
	ask("POST", "/convert", goodReview, "X-Long", strings.Repeat("x", 30<<10)) // 431

	large := goodReview + strings.Repeat(" ", smallMessage)
	unqueued := start(t, func(c *ServerConfig) {
		configure(c)
		c.MaxQueue = -1
	})
	for _, server := range []*running{r, unqueued} {
		asked = server
		for _, limited := range []*fair.Semaphore{server.slots, server.bodies.budget, server.answers} {
			whole := fair.Claim{Units: limited.Limit()}
			if err := limited.Acquire(t.Context(), whole); err != nil {
				t.Fatal(err)
			}
			ask("POST", "/convert", large)
			limited.Release(whole)
		}
	}
	asked = r
	whole := fair.Claim{Units: r.answers.Limit()}
	if err := r.answers.Acquire(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	review, answer = func(context.Context) {}, make([]byte, smallMessage+1)
	ask("POST", "/convert", goodReview)
	r.answers.Release(whole)

	review = func(context.Context) { panic(canary[:6]) }
	ask("POST", "/convert", goodReview)
	ask("POST", "/convert", "{}")
	review = func(context.Context) { <-release }
	ask("POST", "/convert?timeout=100ms", goodReview)
	ask("POST", "/convert?timeout=100ms", "{}")
	close(release)

	slow := start(t, func(c *ServerConfig) { c.ReadTimeout = 300 * time.Millisecond })
	for _, sent := range []struct {
		tls  bool
		body string
	}{
		{true, "Content-Length: 100\r\n\r\n{"},
		{true, "Transfer-Encoding: chunked\r\n\r\nno length\r\n"},
		{false, "Content-Length: 0\r\n\r\n"},
	} {
		conn := slow.dial(t, sent.tls)
		_, _ = io.WriteString(conn, "POST /convert HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"+sent.body)
		text, _ := io.ReadAll(conn)
		conn.Close()
		head, body, _ := strings.Cut(string(text), "\r\n\r\n")
		_, status, _ := strings.Cut(head, " ")
		all = append(all, message{status[:min(3, len(status))], strings.TrimSuffix(body, "\n")})
	}
	return all
}
