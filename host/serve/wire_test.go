package serve

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// The client's and the operator's view of reviews that a real Converter answers: the status on the
// wire, the message for the user, the counters, and a log that names the object but never its
// content.
func TestReviewsOverTheWire(t *testing.T) {
	const object = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"my-cron","namespace":"default","uid":"1"},"spec":{"password":"CANARY"}}`
	const success = `"response":{"uid":"u-1","convertedObjects":[{`
	panics := &funcModule{All: func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) { panic("CANARY") }}
	for _, test := range []struct {
		name   string
		module *funcModule
		body   string
		code   int
		want   string // a part of the answer
		reason string // the counted reason, "" for none
		log    string // a part of the log, "" for no line
	}{
		{"converted", answers(`{"spec":{}}`), reviewOf("v1", "stable.example.com/v2", object), 200, success, "", ""},
		{"v1beta1", answers(`{"spec":{}}`), reviewOf("v1beta1", "stable.example.com/v2", object), 200, `"apiVersion":"apiextensions.k8s.io/v1beta1"`, "", ""},
		{
			"refused", &funcModule{One: func(_, _ string, _ []byte) ([]byte, string) { return nil, "cronSpec has 3 fields" }},
			reviewOf("v1", "stable.example.com/v2", object), 200, "cronSpec has 3 fields", host.FailureRefused, `msg="review failed" kind=CronTab group=stable.example.com from=v1 to=v2 uid=u-1 objects=1 reason=refused`,
		},
		{"contract", answers(`{"kind":"Other"}`), reviewOf("v1", "stable.example.com/v2", object), 200, "broke the conversion contract", host.FailureContract, "reason=contract"},
		{"no route", answers(`{}`), reviewOf("v1", "stable.example.com/v3", object), 200, `"status":"Failed"`, host.FailureNoRoute, "reason=no_route"},
		{"a module that panics", panics, reviewOf("v1", "stable.example.com/v2", object), 200, "the gateway failed while converting", faults.Internal, "panic recovered"},
		{"no JSON", answers(`{}`), `CANARY`, 400, "", "", `msg="request rejected" code=400`},
		{"another review version", answers(`{}`), reviewOf("v2", "stable.example.com/v2", object), 400, "v1beta1", "", "code=400"},
	} {
		t.Run(test.name, func(t *testing.T) {
			modules := &fixedModules{routes: host.NewRoutes(edges(test.module, "v1→v2"))}
			r := start(t, func(c *ServerConfig) { c.Review = newConverter(host.ConverterConfig{Modules: modules}).Review })
			resp, answer := r.send(t, r.request(t, http.MethodPost, "/convert?timeout=30s", strings.NewReader(test.body)))
			if resp.StatusCode != test.code || !strings.Contains(answer, test.want) {
				t.Errorf("got %d %s, want %d …%s…", resp.StatusCode, answer, test.code, test.want)
			}
			if resp.ContentLength != int64(len(answer)) {
				t.Errorf("Content-Length %d of %d bytes", resp.ContentLength, len(answer))
			}
			if test.reason != "" {
				counted := 0.0
				for _, kind := range []string{"CronTab.stable.example.com", "none"} {
					counted += testutil.ToFloat64(r.report.metrics.failures.WithLabelValues(kind, test.reason))
				}
				if counted != 1 {
					t.Errorf("%v failures by %s counted, want 1", counted, test.reason)
				}
			}
			log := r.log.String()
			if test.log == "" && log != "" || !strings.Contains(log, test.log) {
				t.Errorf("the log has %q, want %q in it", log, test.log)
			}
			if test.module != panics && strings.Contains(log, "CANARY") {
				t.Errorf("the log says what is in an object: %s", log)
			}
			if modules.pins != modules.releases {
				t.Errorf("%d pins and %d releases of the modules", modules.pins, modules.releases)
			}
		})
	}
}

// One connection serves one review after the other, regardless of their outcomes.
func TestConnectionIsKept(t *testing.T) {
	r := start(t, nil)
	clients := map[string]bool{}
	for i := range 6 {
		path, body := "/convert", goodReview
		switch i {
		case 2:
			path = "/elsewhere"
		case 4:
			body = strings.Repeat(" ", 100_000)
		}
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { clients[info.Conn.LocalAddr().String()] = true }}
		r.send(t, r.request(t, http.MethodPost, path, strings.NewReader(body)).WithContext(httptrace.WithClientTrace(t.Context(), trace)))
	}
	if len(clients) != 1 {
		t.Errorf("%d connections for 6 requests", len(clients))
	}
}
