// Package monitoring tests the alerts and the dashboard of deploy/chart with Prometheus' own
// engine. It is a Go module of its own because Prometheus' dependencies have other versions than
// the API server's.
package monitoring

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

const (
	ruleFile = "../../deploy/chart/files/alerts.yaml"
	interval = 30 * time.Second // of the PodMonitor, and of evaluations
)

// scenario is a history of metrics in the notation of promtool: one value each 30 s.
type scenario struct {
	name   string
	series []string
	// fires is when the alert must fire at the latest; zero: it must never fire.
	fires time.Duration
}

// alerts has a history with the cause of each alert, and one that looks similar and needs nobody.
func alerts() map[string][]scenario {
	failures := `crosswalk_review_failures_total{group_kind="CronTab.stable.example.com",reason=`
	bucket := func(le, values string) string {
		return `crosswalk_review_duration_seconds_bucket{group_kind="CronTab.stable.example.com",le="` + le + `"} ` + values
	}
	reviews := `crosswalk_reviews_total{group_kind="CronTab.stable.example.com",from="v1",to="v2",result="success"} `
	rejected := `crosswalk_requests_rejected_total{code=`
	over := `crosswalk_reviews_over_share_total{group_kind="CronTab.stable.example.com"} `
	info := func(pod, sha, values string) string {
		return `crosswalk_module_info{module="m.wasm",pod="` + pod + `",sha256="` + sha + `"} ` + values
	}
	return map[string][]scenario{
		"CrosswalkReviewsKeepFailing": {
			{"an object that its module refuses, at eleven requests a second", []string{failures + `"refused"} 0x4 0+330x30`}, 6 * time.Minute},
			{"the watch cache's requests for 26 s after such an object was deleted", []string{failures + `"refused"} 0x10 150 290x60`}, 0},
			{"a restart that resets the counters", []string{failures + `"refused"} 500x10 0x60`}, 0},
		},
		"CrosswalkReviewFailed": {
			{"one broken answer", []string{failures + `"contract"} 0x10 1x60`}, 6 * time.Minute},
			{"refusals", []string{failures + `"refused"} 0x10 0+9x60`}, 0},
		},
		"CrosswalkErrorBudgetBurnsFast": {
			{"two in a hundred reviews fail", []string{failures + `"contract"} 0x4 0+2x140`, reviews + `0x4 0+100x140`}, 10 * time.Minute},
			{"the module refuses two in a hundred", []string{failures + `"refused"} 0x4 0+2x140`, reviews + `0x4 0+100x140`}, 0},
			{"one in a hundred fails", []string{failures + `"contract"} 0x4 0+1x140`, reviews + `0x4 0+100x140`}, 0},
			{"five of ten fail, and there are no others", []string{failures + `"contract"} 0x4 0+1x5 5x140`, reviews + `0x4 0+2x5 10x140`}, 0},
			{"five minutes of failures after a good hour", []string{failures + `"contract"} 0x100 0+2x10 20x40`, reviews + `0+100x150`}, 0},
		},
		"CrosswalkErrorBudgetBurnsSlowly": {
			{"one in a hundred reviews fails", []string{failures + `"contract"} 0x4 0+1x140`, reviews + `0x4 0+100x140`}, 15 * time.Minute},
			{"one in a thousand fails", []string{failures + `"contract"} 0x4 0+1x140`, reviews + `0x4 0+1000x140`}, 0},
		},
		"CrosswalkReviewsTimeOut": {
			{"one timeout", []string{failures + `"deadline"} 0x10 1x60`}, 6 * time.Minute},
			{"another failure", []string{failures + `"contract"} 0x10 1x60`}, 0},
		},
		"CrosswalkReviewsAreSlow": {
			{"each takes between 0.5 s and 1 s", []string{bucket("0.5", "0x60"), bucket("1", "0+30x60"), bucket("+Inf", "0+30x60")}, 2 * time.Minute},
			{"one of a thousand does", []string{bucket("0.5", "0+999x60"), bucket("1", "0+1000x60"), bucket("+Inf", "0+1000x60")}, 0},
			{"there are no reviews", []string{bucket("0.5", "0x60"), bucket("1", "0x60"), bucket("+Inf", "0x60")}, 0},
		},
		"CrosswalkReviewsAreRejected": {
			{"for a quarter of an hour", []string{rejected + `"429"} 0x4 0+60x40`}, 13 * time.Minute},
			{"for five minutes", []string{rejected + `"429"} 0x4 0+60x10 600x60`}, 0},
			{"starting gateways reject with 503", []string{rejected + `"503"} 0x4 0+60x60`}, 0},
		},
		"CrosswalkKindUsesItsWholeShare": {
			{"for a quarter of an hour", []string{over + `0x4 0+60x40`}, 13 * time.Minute},
			{"a burst of five minutes", []string{over + `0x4 0+60x10 600x60`}, 0},
		},
		"CrosswalkInvalidRequests": {
			{"a request that is not sent with POST", []string{rejected + `"405"} 0x4 1x60`}, 3 * time.Minute},
			{"too many reviews", []string{rejected + `"429"} 0x4 1x60`}, 0},
			{"modules are loading", []string{rejected + `"503"} 0x4 1x60`}, 0},
		},
		"CrosswalkGatewayIsNotReady": {
			{"a conversion is missing", []string{`crosswalk_ready{pod="a"} 0x60`, `crosswalk_draining{pod="a"} 0x60`, `crosswalk_ready{pod="b"} 1x60`, `crosswalk_draining{pod="b"} 0x60`}, 6 * time.Minute},
			{"modules load for three minutes", []string{`crosswalk_ready{pod="a"} 0x6 1x60`, `crosswalk_draining{pod="a"} 0x66`}, 0},
			{"a pod shuts down", []string{`crosswalk_ready{pod="a"} 1x6 0x60`, `crosswalk_draining{pod="a"} 0x6 1x60`}, 0},
		},
		"CrosswalkNoGatewayIsReady": {
			{"no pod is ready", []string{`crosswalk_ready{pod="a"} 1x4 0x60`, `crosswalk_ready{pod="b"} 1x4 0x60`}, 6 * time.Minute},
			{"no pod exists", []string{`crosswalk_ready{pod="a"} 1x4 stale`, `up 1x60`}, 6 * time.Minute},
			{"no pod exists, while another gateway serves", []string{`crosswalk_ready{namespace="a",pod="a"} 1x4 stale`, `crosswalk_ready{namespace="b",pod="a"} 1x160`}, 6 * time.Minute},
			{"one of two is ready", []string{`crosswalk_ready{pod="a"} 0x160`, `crosswalk_ready{pod="b"} 1x160`}, 0},
		},
		"CrosswalkModuleWasRefused": {
			{"the new file does not load", []string{`crosswalk_module_last_reload_successful{module="m.wasm"} 1x4 0x60`}, 9 * time.Minute},
			{"the second attempt succeeds", []string{`crosswalk_module_last_reload_successful{module="m.wasm"} 1x4 0x2 1x60`}, 0},
		},
		"CrosswalkModuleWasRolledBack": {
			{"once", []string{`crosswalk_module_rollbacks_total{module="m.wasm"} 0x10 1x60`}, 6 * time.Minute},
			{"never", []string{`crosswalk_module_rollbacks_total{module="m.wasm"} 1x60`}, 0},
		},
		"CrosswalkModuleFileWasDeleted": {
			{"for good", []string{`crosswalk_module_orphaned{module="m.wasm"} 0x4 1x60`}, 18 * time.Minute},
			{"for five minutes", []string{`crosswalk_module_orphaned{module="m.wasm"} 0x4 1x10 0x60`}, 0},
		},
		"CrosswalkReplicasDiffer": {
			{"one replica misses the update", []string{info("a", "1", "1x4 _x80"), info("a", "2", "_x5 1x80"), info("b", "1", "1x85")}, 25 * time.Minute},
			{"two gateways have different modules for one name", []string{info("a", "1", "1x85"), `crosswalk_module_info{module="m.wasm",namespace="b",pod="a",sha256="2"} 1x85`}, 0},
			{"an update arrives two minutes apart", []string{info("a", "1", "1x4 _x80"), info("a", "2", "_x5 1x80"), info("b", "1", "1x8 _x80"), info("b", "2", "_x9 1x80")}, 0},
		},
		"CrosswalkModuleCrashes": {
			{"a trap", []string{`crosswalk_module_faults_total{module="m.wasm",fault="trap"} 0x10 1x60`}, 6 * time.Minute},
			{"too few instances", []string{`crosswalk_module_faults_total{module="m.wasm",fault="busy"} 0x10 1x60`, `crosswalk_module_faults_total{module="m.wasm",fault="breaker"} 0x10 5x60`}, 0},
		},
		"CrosswalkConversionsAreMissing": {
			{"by a definition", []string{`crosswalk_conversions_missing{file="f"} 2x60`, `crosswalk_required_conversions_missing 0x60`}, 16 * time.Minute},
			{"by --require", []string{`crosswalk_conversions_missing{file="f"} 0x60`, `crosswalk_required_conversions_missing 1x60`}, 16 * time.Minute},
			{"while modules are replaced", []string{`crosswalk_conversions_missing{file="f"} 0x4 2x10 0x60`, `crosswalk_required_conversions_missing 0x74`}, 0},
		},
		"CrosswalkStoredObjectsDoNotConvert": {
			{"one object", []string{`crosswalk_controller_unconvertible_objects{definition="crontabs.stable.example.com"} 0x10 1x60`}, 6 * time.Minute},
			{"none", []string{`crosswalk_controller_unconvertible_objects{definition="crontabs.stable.example.com"} 0x60`}, 0},
		},
		"CrosswalkObjectsBreakSchema": {
			{"once", []string{`crosswalk_schema_violations_total{group_kind="k",version="v2",violation="pruned"} 0x10 1x60`}, 6 * time.Minute},
			{"never", []string{`crosswalk_schema_violations_total{group_kind="k",version="v2",violation="pruned"} 0x60`}, 0},
		},
		"CrosswalkSchemaWasRefused": {
			{"the file is broken", []string{`crosswalk_schema_last_reload_successful{file="f"} 0x60`}, 16 * time.Minute},
			{"the file is good", []string{`crosswalk_schema_last_reload_successful{file="f"} 1x60`}, 0},
		},
		"CrosswalkCertificateExpires": {
			{"in a week at the start, then sooner", []string{`crosswalk_tls_certificate_expiry_timestamp_seconds 604810x60`}, time.Minute},
			{"in a month", []string{`crosswalk_tls_certificate_expiry_timestamp_seconds 2592000x60`}, 0},
		},
		"CrosswalkCertificateIsBroken": {
			{"certificate and key do not match", []string{`crosswalk_tls_last_reload_successful 1x4 0x60`}, 13 * time.Minute},
			{"they do not match for a minute", []string{`crosswalk_tls_last_reload_successful 1x4 0x2 1x60`}, 0},
		},
		"CrosswalkClientsDoNotTrustCertificate": {
			{"each request fails", []string{`crosswalk_tls_handshake_errors_total 0x4 0+5x60`}, 5 * time.Minute},
			{"a port scanner", []string{`crosswalk_tls_handshake_errors_total 0x4 3x60`}, 0},
		},
		"CrosswalkBugInGateway": {
			{"a panic", []string{`crosswalk_panics_total 0x4 1x60`, `crosswalk_reviews_overdue_total 0x64`}, 3 * time.Minute},
			{"an overdue review", []string{`crosswalk_panics_total 0x64`, `crosswalk_reviews_overdue_total 0x4 1x60`}, 3 * time.Minute},
			{"neither", []string{`crosswalk_panics_total 2x60`, `crosswalk_reviews_overdue_total 0x60`}, 0},
		},
		"CrosswalkModulesAreNotPulled": {
			{"for good", []string{`crosswalk_module_directory_last_pull_success_timestamp_seconds 0x120`}, 21 * time.Minute},
			{"for ten minutes", []string{`crosswalk_module_directory_last_pull_success_timestamp_seconds 0x20 600x20 1200x20 1800x20`}, 0},
		},
		"CrosswalkModuleDirectoryCannotBeRead": {
			{"for good", []string{`crosswalk_module_directory_last_read_success_timestamp_seconds 0x120`}, 16 * time.Minute},
			{"for some minutes", []string{`crosswalk_module_directory_last_read_success_timestamp_seconds 0x13 840+60x100`}, 0},
		},
		"CrosswalkNoFileEvents": {
			{"for good", []string{`crosswalk_module_watch_degraded 1x150`}, 61 * time.Minute},
			{"for half an hour", []string{`crosswalk_module_watch_degraded 1x60 0x90`}, 0},
		},
	}
}

// TestAlerts evaluates the rule file each 30 s over each history.
func TestAlerts(t *testing.T) {
	cases := alerts()
	known := map[string]bool{}
	for _, rule := range group(t, nil).Rules() {
		if _, records := rule.(*rules.RecordingRule); records {
			continue
		}
		known[rule.Name()] = true
		fires, quiet := false, false
		for _, s := range cases[rule.Name()] {
			fires, quiet = fires || s.fires > 0, quiet || s.fires == 0
		}
		if !fires || !quiet {
			t.Errorf("%s needs a history in which it fires and one in which it does not", rule.Name())
		}
	}
	for name, scenarios := range cases {
		if !known[name] {
			t.Errorf("there is no alert %s", name)
		}
		for _, s := range scenarios {
			t.Run(name+"/"+strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
				at := firstFiring(t, name, s.series)
				switch {
				case s.fires == 0 && at >= 0:
					t.Errorf("it fires after %v", at)
				case s.fires > 0 && (at < 0 || at > s.fires):
					t.Errorf("it fires after %v, want %v at the latest (-1ns: never)", at, s.fires)
				}
			})
		}
	}
}

// firstFiring returns when the alert fires first, or -1 if it does not fire in 75 minutes.
func firstFiring(t *testing.T, name string, series []string) time.Duration {
	t.Helper()
	suite, err := promqltest.NewLazyLoader("load 30s\n  "+strings.Join(series, "\n  ")+"\n", promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true})
	if err != nil {
		t.Fatal(err)
	}
	defer suite.Close()
	g := group(t, suite)
	for at := time.Duration(0); at <= 75*time.Minute; at += interval {
		firing := false
		suite.WithSamplesTill(time.Unix(0, 0).Add(at), func(err error) {
			if err != nil {
				t.Fatal(err)
			}
			g.Eval(suite.Context(), time.Unix(0, 0).Add(at))
			for _, rule := range g.Rules() {
				if rule.LastError() != nil {
					t.Fatalf("%s: %v", rule.Name(), rule.LastError())
				}
				if alert, ok := rule.(*rules.AlertingRule); ok && alert.Name() == name {
					for _, active := range alert.ActiveAlerts() {
						firing = firing || active.State == rules.StateFiring
					}
				}
			}
		})
		if firing {
			return at
		}
	}
	return -1
}

// group loads the rule file; without a suite it is for looking at only.
func group(t *testing.T, suite *promqltest.LazyLoader) *rules.Group {
	t.Helper()
	opts := &rules.ManagerOptions{
		Context: context.Background(), Logger: promslog.NewNopLogger(), Parser: parser.NewParser(parser.Options{}),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {},
	}
	if suite != nil {
		opts.QueryFunc = rules.EngineQueryFunc(suite.QueryEngine(), suite.Storage())
		opts.AppendableV2 = suite.Storage()
	}
	groups, errs := rules.NewManager(opts).LoadGroups(interval, labels.EmptyLabels(), "", nil, false, ruleFile)
	if errs != nil {
		t.Fatal(errs)
	}
	for _, g := range groups {
		for _, rule := range g.Rules() {
			alert, ok := rule.(*rules.AlertingRule)
			if !ok {
				continue
			}
			alert.SetRestored(true)
			for _, needed := range []string{"summary", "description", "runbook_url"} {
				if alert.Annotations().Get(needed) == "" {
					t.Errorf("%s has no annotation %s", alert.Name(), needed)
				}
			}
		}
		return g
	}
	t.Fatal("there are no groups")
	return nil
}
