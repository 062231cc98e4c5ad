package serve

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
)

// The server counts all violations and logs few.
func TestSchemaViolationsAreTold(t *testing.T) {
	c := newConverter(host.ConverterConfig{Modules: &fixedModules{routes: host.NewRoutes(edges(answers(`{"x":1,"spec":{"host":1}}`), "v1→v2"))}, Schemas: crontabs.Schema(t)})
	r := start(t, func(config *ServerConfig) { config.Review = c.Review })
	began := time.Now()
	for range 5 {
		if resp, text := r.send(t, r.request(t, "POST", "/convert", strings.NewReader(reviewOf("v1", "stable.example.com/v2", cron, cron)))); resp.StatusCode != 200 || strings.Contains(text, "Failed") {
			t.Fatalf("%d %s", resp.StatusCode, text)
		}
	}
	for _, violation := range []string{"invalid", "pruned"} {
		if got := testutil.ToFloat64(r.report.metrics.violations.WithLabelValues("CronTab.stable.example.com", "v2", violation)); got != 10 {
			t.Errorf("%v counted as %s, want 10", got, violation)
		}
	}
	const line = `msg="converted object breaks the schema" kind=CronTab group=stable.example.com from=v1 to=v2 uid=u-1 err="object 0 (default/my-cron), ` +
		`converted by module CronTab.stable.example.com_v1_v2.wasm (sha256:0123456789ab): x: unknown field, the API server drops it; spec.host: must be a string, not a number" invalid=2 pruned=2 unlogged=0`
	if log := r.log.String(); strings.Count(log, "breaks the schema") != 1 || !strings.Contains(log, line) {
		t.Errorf("logged\n%s\nwant once\n%s", log, line)
	}
	total := r.report.metrics.Totals()[Conversion{"CronTab.stable.example.com", "v1", "v2"}]
	if total.Breaking != 5 || !strings.Contains(total.Violation, "(default/my-cron)") || total.Since(total).Breaking != 0 {
		t.Errorf("the totals have %+v, want all five reviews, and the last object", total)
	}
	if _, ok := r.report.rare.allow("v2 CronTab.stable.example.com", began.Add(59*time.Second)); ok {
		t.Error("another line is logged within the minute")
	}
	if _, ok := r.report.rare.allow("v2 CronTab.stable.example.com", time.Now().Add(time.Minute)); !ok {
		t.Error("nothing is logged a minute later")
	}
}

// An object that is not checked is counted, and logged once a minute.
func TestUncheckedObjectsAreTold(t *testing.T) {
	answer := `{"spec":{"host":"a","list":[` + strings.Repeat("1,", 3000) + `1]}}`
	c := newConverter(host.ConverterConfig{Modules: &fixedModules{routes: host.NewRoutes(edges(answers(answer), "v1→v2"))}, Schemas: crontabs.CostlySchema(t)})
	r := start(t, func(config *ServerConfig) { config.Review = c.Review })
	for range 2 {
		if resp, text := r.send(t, r.request(t, "POST", "/convert", strings.NewReader(reviewOf("v1", "stable.example.com/v2", cron)))); resp.StatusCode != 200 || strings.Contains(text, "Failed") {
			t.Fatalf("%d %s", resp.StatusCode, text)
		}
	}
	if got := testutil.ToFloat64(r.report.metrics.unchecked.WithLabelValues("CronTab.stable.example.com", "v2")); got != 2 {
		t.Errorf("%v objects counted, want 2", got)
	}
	const line = `msg="converted object was not checked against all of its schema" kind=CronTab group=stable.example.com from=v1 to=v2 uid=u-1 ` +
		`err="object 0 (default/my-cron): the check takes more work than it may" objects=1 unlogged=0`
	if log := r.log.String(); strings.Count(log, "was not checked against all of its schema") != 1 || !strings.Contains(log, line) {
		t.Errorf("logged\n%s\nwant once\n%s", log, line)
	}
}
