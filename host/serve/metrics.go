package serve

import (
	"github.com/crosswalk-gateway/crosswalk/host"

	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// MetricDoc describes one metric for the table in docs/flags-and-metrics.md, which a test compares with what is registered.
type MetricDoc struct {
	Name, Type string
	Labels     []string
	Help       string
}

// Metrics is every metric of this package. Labels take their values from routed kinds and from the constants here, never from what
// a client sent (Outcome says so of its fields). One value serves one process; it may be used by many goroutines at once.
type Metrics struct {
	reviews  *prometheus.CounterVec
	failures *prometheus.CounterVec
	duration *prometheus.HistogramVec
	objects  *prometheus.CounterVec
	restored *prometheus.CounterVec

	moduleFailures *prometheus.CounterVec
	violations     *prometheus.CounterVec
	unchecked      *prometheus.CounterVec

	requestBytes, responseBytes prometheus.Histogram
	rejected                    *prometheus.CounterVec
	panics, overdue             prometheus.Counter
	handshakeErrors             prometheus.Counter
	state                       atomic.Pointer[func() serverState]
	cache                       atomic.Pointer[host.Cache]

	certificateExpiry, certificateReloaded, certificateReloadTime prometheus.Gauge

	register func(prometheus.Collector)
	docs     []MetricDoc

	mu      sync.RWMutex // guards what follows
	series  map[pair]*series
	totals  map[string]*totals // by kind: <Kind>.<group>
	modules map[string]bool    // file names that have series in moduleFailures
}

// serverState is what a server says of itself when it is scraped; flags are 1 or 0.
type serverState struct {
	ready, draining                float64
	reviews, reviewsLimit, waiting float64
	buffers, buffersLimit          float64 // bytes
	answers, answersLimit          float64 // bytes
	connections                    float64
}

// rejectionCodes are the HTTP statuses a request may be turned away with.
var rejectionCodes = [...]int{400, 404, 405, 413, 415, 429, 500, 503}

// NewMetrics makes the metrics and registers them with reg. It panics if they are registered there already, which is a fault of the
// program and shows at its first start.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{register: func(c prometheus.Collector) { reg.MustRegister(c) }, series: map[pair]*series{}, totals: map[string]*totals{}, modules: map[string]bool{}}
	edge := []string{"group_kind", "from", "to"}

	m.reviews = m.counters("crosswalk_reviews_total",
		"Conversion reviews answered, by kind, versions and result (success or failed). A failed review is an error some user sees.",
		append(edge[:3:3], "result")...)
	m.failures = m.counters("crosswalk_review_failures_total",
		"Conversion reviews answered with a failure, by kind, versions and reason. What took too long has the reason deadline.",
		append(edge[:3:3], "reason")...)
	m.moduleFailures = m.counters("crosswalk_module_review_failures_total",
		"Conversion reviews that failed for what a module did, by its file and the reason: its refusals and broken contracts beside its faults.",
		"module", "reason")
	m.duration = m.durations("crosswalk_review_duration_seconds",
		"Time from the end of a request's headers to the end of its answer, in seconds, by kind and versions. The API server gives up after 30 s.",
		edge...)
	m.objects = m.counters("crosswalk_review_objects_total",
		"Objects in the reviews answered, converted or not, by kind and versions.", edge...)
	m.restored = m.counters("crosswalk_metadata_restored_objects_total",
		"Objects whose metadata a module tried to change where it must not; the change was undone and the review went on.", edge...)
	m.violations = m.counters("crosswalk_schema_violations_total",
		"Places in converted objects that break the schema of their version, invalid by a rule or of a field that the API server prunes; at most 100 an object.",
		"group_kind", "version", "kind")
	m.unchecked = m.counters("crosswalk_schema_unchecked_objects_total",
		"Converted objects that were not held against all of their schema, because that takes more work than a review may cost.",
		"group_kind", "version")
	m.requestBytes = m.sizes("crosswalk_request_body_bytes", "Size of the bodies of conversion reviews, in bytes.")
	m.responseBytes = m.sizes("crosswalk_response_body_bytes", "Size of the answers to conversion reviews, in bytes.")
	m.rejected = m.counters("crosswalk_requests_rejected_total",
		"Requests turned away before they were a review, by HTTP status. The API server repeats 429 and 503 after a second; all others fail its user's request.",
		"code")
	m.panics = m.counter("crosswalk_panics_total", "Panics contained while handling a request. Each is a bug of the gateway; its log has the stack.")
	m.overdue = m.counter("crosswalk_reviews_overdue_total",
		"Reviews answered with a failure because the conversion went on for a second past its deadline. Each is a bug of the gateway.")
	m.handshakeErrors = m.counter("crosswalk_tls_handshake_errors_total",
		"Connections that ended before TLS was agreed, as when the CRD's caBundle does not match the certificate. Probes that only connect count too.")
	m.reading("crosswalk_ready", "1 while /readyz answers 200, else 0.", func(s serverState) float64 { return s.ready })
	m.reading("crosswalk_draining", "1 from the first termination signal on, else 0.", func(s serverState) float64 { return s.draining })
	m.reading("crosswalk_reviews_in_flight", "Reviews being converted now.", func(s serverState) float64 { return s.reviews })
	m.reading("crosswalk_reviews_in_flight_limit", "Reviews that may be converted at a time (--max-in-flight).",
		func(s serverState) float64 { return s.reviewsLimit })
	m.reading("crosswalk_reviews_waiting", "Reviews waiting for one in flight to end. They wait for --queue-timeout at most and are then put off with 429.",
		func(s serverState) float64 { return s.waiting })
	m.reading("crosswalk_request_buffers_bytes", "Bytes held in buffers for request bodies of more than 16 KiB now.", func(s serverState) float64 { return s.buffers })
	m.reading("crosswalk_request_buffers_limit_bytes", "Bytes that may be held in buffers for request bodies (--max-body-bytes-in-flight).",
		func(s serverState) float64 { return s.buffersLimit })
	m.reading("crosswalk_response_buffers_bytes", "Bytes reserved for the answers to reviews of more than 16 KiB being converted, and held in answers of more than 16 KiB that clients have not read.",
		func(s serverState) float64 { return s.answers })
	m.reading("crosswalk_response_buffers_limit_bytes", "Bytes that may be reserved and held so (as many as --max-body-bytes-in-flight).",
		func(s serverState) float64 { return s.answersLimit })
	m.reading("crosswalk_connections", "Connections for reviews open now. When they are 1,000, unused and idle ones are closed for new ones.",
		func(s serverState) float64 { return s.connections })
	m.tally("crosswalk_cache_hits_total", "Objects whose conversion was taken from the cache.", func(u host.CacheStats) uint64 { return u.Hits })
	m.tally("crosswalk_cache_joined_total", "Objects that waited for the same conversion in another review, instead of making it again.",
		func(u host.CacheStats) uint64 { return u.Joined })
	m.tally("crosswalk_cache_misses_total", "Objects that the cache was asked for and did not have.", func(u host.CacheStats) uint64 { return u.Misses })
	m.tally("crosswalk_cache_evictions_total", "Answers that left the cache to make room for others. Those that left with their module are not counted.",
		func(u host.CacheStats) uint64 { return u.Evicted })
	m.held("crosswalk_cache_bytes", "Bytes that the cache takes.", func(u host.CacheStats) float64 { return float64(u.Bytes) })
	m.held("crosswalk_cache_limit_bytes", "Bytes that the cache may take (--cache-bytes).", func(u host.CacheStats) float64 { return float64(u.Limit) })
	m.held("crosswalk_cache_entries", "Answers in the cache.", func(u host.CacheStats) float64 { return float64(u.Entries) })
	m.certificateExpiry = m.gauge("crosswalk_tls_certificate_expiry_timestamp_seconds",
		"When the first certificate of the chain being served expires, as Unix time in seconds.")
	m.certificateReloaded = m.gauge("crosswalk_tls_last_reload_successful",
		"1 if the certificate files were good when last read, 0 if they were not and the earlier ones still serve.")
	m.certificateReloadTime = m.gauge("crosswalk_tls_last_reload_success_timestamp_seconds",
		"When the certificate files were last read and found good, as Unix time in seconds.")

	for _, code := range rejectionCodes {
		m.rejected.WithLabelValues(codeLabel(code))
	}
	return m
}

// Docs describes the metrics in the order they are registered.
func (m *Metrics) Docs() []MetricDoc { return append([]MetricDoc(nil), m.docs...) }
