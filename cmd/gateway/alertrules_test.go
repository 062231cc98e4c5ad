package main

// alertRule is an alert for Prometheus. Its row in docs/use/flags-and-metrics.md has its meaning and
// the remedy.
type alertRule struct {
	name, expr string
	during     string // for which the expression must hold, as 3m
	critical   bool   // pages someone: users see errors now, or soon
}

// alertRules are the alerts in the order of the page.
var alertRules = [...]alertRule{
	{name: "reviews keep failing", expr: `sum by (group_kind, reason) (increase(crosswalk_review_failures_total[2m])) > 0`, during: "3m", critical: true},
	{name: "a review failed", expr: `sum by (group_kind, reason) (increase(crosswalk_review_failures_total{reason!="refused"}[10m])) > 0`},
	{name: "the error budget burns fast", expr: `crosswalk:review_errors:ratio_rate5m > 0.0144 and crosswalk:review_errors:ratio_rate1h > 0.0144 and sum(increase(crosswalk_review_failures_total{reason!="refused"}[1h])) > 10`, critical: true},
	{name: "the error budget burns slowly", expr: `crosswalk:review_errors:ratio_rate30m > 0.006 and crosswalk:review_errors:ratio_rate6h > 0.006 and sum(increase(crosswalk_review_failures_total{reason!="refused"}[6h])) > 10`},
	{name: "reviews time out", expr: `sum by (group_kind) (increase(crosswalk_review_failures_total{reason="deadline"}[10m])) > 0`},
	{name: "reviews are slow", expr: `histogram_quantile(0.99, sum by (le, group_kind) (rate(crosswalk_review_duration_seconds_bucket[10m]))) > 0.5`},
	{name: "reviews are rejected", expr: `sum(rate(crosswalk_requests_rejected_total{code="429"}[2m])) > 0`, during: "10m", critical: true},
	{name: "a kind uses its whole share", expr: `sum by (group_kind) (rate(crosswalk_reviews_over_share_total[2m])) > 0`, during: "10m"},
	{name: "invalid requests", expr: `sum by (code) (increase(crosswalk_requests_rejected_total{code=~"4..",code!="429"}[10m])) > 0`},
	{name: "a gateway is not ready", expr: `crosswalk_ready == 0 and crosswalk_draining == 0`, during: "5m"},
	{name: "no gateway is ready", expr: `max by (namespace) (max_over_time(crosswalk_ready[1h])) unless on (namespace) crosswalk_ready == 1 or on () absent(crosswalk_ready == 1)`, during: "2m", critical: true},
	{name: "a module was refused", expr: `crosswalk_module_last_reload_successful == 0`, during: "5m"},
	{name: "a module was rolled back", expr: `increase(crosswalk_module_rollbacks_total[1h]) > 0`},
	{name: "a module's file was deleted", expr: `crosswalk_module_orphaned == 1`, during: "15m"},
	{name: "replicas differ", expr: `count by (namespace, module) (count by (namespace, module, sha256) (crosswalk_module_info)) > 1`, during: "15m"},
	{name: "a module crashes", expr: `sum by (module, fault) (increase(crosswalk_module_faults_total{fault!~"busy|breaker"}[10m])) > 0`},
	{name: "modules are not pulled", expr: `time() - crosswalk_module_directory_last_pull_success_timestamp_seconds > 900`, during: "5m"},
	{name: "the module directory cannot be read", expr: `time() - crosswalk_module_directory_last_read_success_timestamp_seconds > 600`, during: "5m"},
	{name: "conversions are missing", expr: `crosswalk_conversions_missing > 0 or crosswalk_required_conversions_missing > 0`, during: "15m"},
	{name: "stored objects do not convert", expr: `crosswalk_controller_unconvertible_objects > 0`},
	{name: "objects break the schema", expr: `sum by (group_kind, version, violation) (increase(crosswalk_schema_violations_total[1h])) > 0`},
	{name: "a schema was refused", expr: `crosswalk_schema_last_reload_successful == 0`, during: "15m"},
	{name: "the certificate expires", expr: `crosswalk_tls_certificate_expiry_timestamp_seconds - time() < 7 * 86400`, critical: true},
	{name: "the certificate is broken", expr: `crosswalk_tls_last_reload_successful == 0`, during: "10m"},
	{name: "clients do not trust the certificate", expr: `increase(crosswalk_tls_handshake_errors_total[10m]) > 10`},
	{name: "a bug in the gateway", expr: `increase(crosswalk_panics_total[1h]) > 0 or increase(crosswalk_reviews_overdue_total[1h]) > 0`},
	{name: "no file events", expr: `crosswalk_module_watch_degraded == 1`, during: "1h"},
}
