package host

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// MetricDoc describes one metric for the table in docs/operations.md, which a test compares with what is registered.
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

	requestBytes, responseBytes prometheus.Histogram
	rejected                    *prometheus.CounterVec
	panics, overdue             prometheus.Counter
	handshakeErrors             prometheus.Counter
	state                       atomic.Pointer[func() serverState]

	certificateExpiry, certificateReloaded, certificateReloadTime prometheus.Gauge

	register func(prometheus.Collector)
	docs     []MetricDoc

	mu     sync.RWMutex // guards series
	series map[pair]*series
}

// serverState is what a server says of itself when it is scraped; flags are 1 or 0.
type serverState struct {
	ready, draining                float64
	reviews, reviewsLimit, waiting float64
	buffers, buffersLimit          float64 // bytes
}

// pair is what reviews are counted by: a kind and the two versions. The zero pair stands for everything that has no route.
type pair struct{ group, kind, from, to string }

// series are one pair's metrics, looked up once because four label values cost more to hash than one map key.
type series struct {
	success, failed prometheus.Counter
	seconds         prometheus.Observer
	objects         prometheus.Counter
	restored        prometheus.Counter
	groupKind       string
}

// maxPairs bounds the series whatever the routes do: 100 kinds of five versions, each way, are 2,000 pairs; what comes after
// is counted together with what has no route.
const maxPairs = 2000

// rejectionCodes are the HTTP statuses a request may be turned away with.
var rejectionCodes = [...]int{400, 404, 405, 413, 415, 429, 500, 503}

// NewMetrics makes the metrics and registers them with reg. It panics if they are registered there already, which is a fault of the
// program and shows at its first start.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{register: func(c prometheus.Collector) { reg.MustRegister(c) }, series: map[pair]*series{}}
	edge := []string{"group_kind", "from", "to"}

	m.reviews = m.counters("crosswalk_reviews_total",
		"Conversion reviews answered, by kind, versions and result (success or failed). A failed review is an error some user sees.",
		append(edge[:3:3], "result")...)
	m.failures = m.counters("crosswalk_review_failures_total",
		"Conversion reviews answered with a failure, by kind and reason.",
		"group_kind", "reason")
	m.duration = m.durations("crosswalk_review_duration_seconds",
		"Time from the end of a request's headers to the end of its answer, in seconds, by kind and versions. The API server gives up after 30 s.",
		edge...)
	m.objects = m.counters("crosswalk_review_objects_total",
		"Objects in the reviews answered, converted or not, by kind and versions.", edge...)
	m.restored = m.counters("crosswalk_metadata_restored_objects_total",
		"Objects whose metadata a module tried to change where it must not; the change was undone and the review went on.", edge...)
	m.requestBytes = m.sizes("crosswalk_request_body_bytes", "Size of the bodies of conversion reviews, in bytes.")
	m.responseBytes = m.sizes("crosswalk_response_body_bytes", "Size of the answers to conversion reviews, in bytes.")
	m.rejected = m.counters("crosswalk_requests_rejected_total",
		"Requests turned away before they were a review, by HTTP status. The API server repeats 429 and 503 after a second; all others fail its user's request.",
		"code")
	m.panics = m.counter("crosswalk_panics_total", "Panics contained while handling a request. Each is a bug of the gateway; its log has the stack.")
	m.overdue = m.counter("crosswalk_reviews_overdue_total",
		"Reviews answered with a failure because the conversion went on past its deadline. Each is a bug of the gateway.")
	m.handshakeErrors = m.counter("crosswalk_tls_handshake_errors_total",
		"Connections that ended before TLS was agreed, as when the CRD's caBundle does not match the certificate. Probes that only connect count too.")
	m.reading("crosswalk_ready", "1 while /readyz answers 200, else 0.", func(s serverState) float64 { return s.ready })
	m.reading("crosswalk_draining", "1 from the first termination signal on, else 0.", func(s serverState) float64 { return s.draining })
	m.reading("crosswalk_reviews_in_flight", "Reviews being converted now.", func(s serverState) float64 { return s.reviews })
	m.reading("crosswalk_reviews_in_flight_limit", "Reviews that may be converted at a time (--max-in-flight).",
		func(s serverState) float64 { return s.reviewsLimit })
	m.reading("crosswalk_reviews_waiting", "Reviews waiting for one in flight to end. They wait a second at most and are then put off with 429.",
		func(s serverState) float64 { return s.waiting })
	m.reading("crosswalk_request_buffers_bytes", "Bytes held in buffers for request bodies now.", func(s serverState) float64 { return s.buffers })
	m.reading("crosswalk_request_buffers_limit_bytes", "Bytes that may be held in buffers for request bodies (--max-body-bytes-in-flight).",
		func(s serverState) float64 { return s.buffersLimit })
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

// Expect makes the series of every conversion that routes serve exist before its first review, so that a first failure is an increase
// and not a new series. Call it whenever routes change.
func (m *Metrics) Expect(routes *Routes) {
	if routes == nil {
		return
	}
	for key, k := range routes.kinds {
		for ends := range k.paths {
			m.of(pair{key.group, key.kind, ends[0], ends[1]})
		}
	}
}

// Docs describes the metrics in the order they are registered.
func (m *Metrics) Docs() []MetricDoc { return append([]MetricDoc(nil), m.docs...) }

// review counts one review that was answered.
func (m *Metrics) review(o *Outcome, took time.Duration, requestBytes, responseBytes int) {
	p := pair{o.Group, o.Kind, o.From, o.To}
	if o.Kind == "" || o.From == "" || o.To == "" {
		p = pair{}
	}
	s := m.of(p)
	if o.Failure == "" {
		s.success.Inc()
	} else {
		s.failed.Inc()
		m.failures.WithLabelValues(s.groupKind, o.Failure).Inc()
	}
	s.seconds.Observe(took.Seconds())
	s.objects.Add(float64(o.Objects))
	s.restored.Add(float64(o.Restored))
	m.requestBytes.Observe(float64(requestBytes))
	m.responseBytes.Observe(float64(responseBytes))
}

// of finds or makes the series of a pair.
func (m *Metrics) of(p pair) *series {
	m.mu.RLock()
	s := m.series[p]
	m.mu.RUnlock()
	if s != nil {
		return s
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.series) >= maxPairs {
		p = pair{}
	}
	if s := m.series[p]; s != nil {
		return s
	}
	groupKind, from, to := "none", "none", "none" // an empty label value would be the same as no label
	if p.kind != "" {
		groupKind, from, to = p.kind+"."+p.group, p.from, p.to
	}
	s = &series{
		success:   m.reviews.WithLabelValues(groupKind, from, to, "success"),
		failed:    m.reviews.WithLabelValues(groupKind, from, to, "failed"),
		seconds:   m.duration.WithLabelValues(groupKind, from, to),
		objects:   m.objects.WithLabelValues(groupKind, from, to),
		restored:  m.restored.WithLabelValues(groupKind, from, to),
		groupKind: groupKind,
	}
	for _, reason := range Failures() {
		m.failures.WithLabelValues(groupKind, reason)
	}
	m.series[p] = s
	return s
}
