package serve

import (
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// Metrics is every metric of this package. Label values come from routed kinds and from the
// constants here, never from a client (see Outcome). One value serves one process; it is safe for
// concurrent use.
type Metrics struct {
	reviews  *prometheus.CounterVec
	failures *prometheus.CounterVec
	duration *prometheus.HistogramVec
	objects  *prometheus.CounterVec
	restored *prometheus.CounterVec

	violations *prometheus.CounterVec
	unchecked  *prometheus.CounterVec

	rejected        *prometheus.CounterVec
	overShares      *prometheus.CounterVec
	turnedAway      *prometheus.CounterVec
	panics, overdue prometheus.Counter
	handshakeErrors prometheus.Counter
	state           atomic.Pointer[func() serverState]
	cache           atomic.Pointer[host.Cache]
	untrusted       atomic.Pointer[Failure]

	certificateExpiry, certificateReloaded prometheus.Gauge

	mu     sync.RWMutex // guards the fields below
	series map[pair]*series
	wholes int               // of series, those of all further pairs of a kind
	kinds  map[string]bool   // <Kind>.<group>; those that have series
	away   map[string]Totals // Rejected and Busy by label of turnedAway
}

// serverState is the server's state for a scrape; flags are 1 or 0.
type serverState struct {
	ready, draining                float64
	reviews, reviewsLimit, waiting float64
	buffers, answers               float64 // bytes
	connections                    float64
}

// rejectionCodes are the HTTP statuses a request may be turned away with.
var rejectionCodes = [...]int{400, 405, 413, 415, 429, 500, 503}

// NewMetrics makes the metrics and registers them with reg. It panics if they are registered there
// already, which is a fault of the program and shows at its first start.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{series: map[pair]*series{}, kinds: map[string]bool{}, away: map[string]Totals{}}
	auto := promauto.With(reg)
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	counter := func(name, help string) prometheus.Counter {
		return auto.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return auto.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	// reading is a gauge of the server's state when it is scraped. It is 0 until there is a server.
	reading := func(name, help string, value func(serverState) float64) {
		auto.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			if state := m.state.Load(); state != nil {
				return value((*state)())
			}
			return 0
		})
	}
	tally := func(name, help string, value func(host.CacheStats) uint64) {
		auto.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value(m.cache.Load().Stats())) })
	}
	edge := []string{"group_kind", "from", "to"}

	m.reviews = counters("crosswalk_reviews_total",
		"Conversion reviews answered, by kind, versions and result (success or failed). Each failed review is an error that a user sees.",
		append(edge[:3:3], "result")...)
	m.failures = counters("crosswalk_review_failures_total",
		"Conversion reviews answered with a failure, by reason. Timeouts have the reason deadline. crosswalk_reviews_total has the versions.",
		"group_kind", "reason")
	m.duration = auto.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "crosswalk_review_duration_seconds",
		Help:    "Time from the end of the request headers to the end of the response, in seconds. API servers time out after 30 s.",
		Buckets: reviewTimes[:],
	}, edge)
	m.objects = counters("crosswalk_review_objects_total",
		"Objects in answered reviews, converted or not, by kind and versions.", edge...)
	m.restored = counters("crosswalk_metadata_restored_objects_total",
		"Objects in which a module changed metadata that it must not change. The gateway reverted the change and the review succeeded.", edge...)
	m.violations = counters("crosswalk_schema_violations_total",
		"Schema violations in converted objects, by violation: invalid breaks a rule, pruned is an unknown field that the API server drops. At most 100 per object.",
		"group_kind", "version", "violation")
	m.unchecked = counters("crosswalk_schema_unchecked_objects_total",
		"Converted objects that were not checked against all of their schema. The log has the cause.",
		"group_kind", "version")
	m.rejected = counters("crosswalk_requests_rejected_total",
		"Requests rejected before they were read as a review, by HTTP status. API servers retry 429 and 503; other codes fail the user's request.",
		"code")
	m.overShares = counters("crosswalk_reviews_over_share_total",
		"Reviews that waited, or were rejected, because reviews of their kind held its share of the slots.",
		"group_kind")
	m.turnedAway = counters("crosswalk_reviews_rejected_total",
		"Reviews rejected with 429 after their body was read. API servers repeat them after a second.",
		"group_kind")
	m.panics = counter("crosswalk_panics_total", "Panics recovered while handling a request: bugs in the gateway. The log has the stack.")
	m.overdue = counter("crosswalk_reviews_overdue_total",
		"Reviews that failed because the conversion ran for a second past its deadline: bugs in the gateway.")
	m.handshakeErrors = counter("crosswalk_tls_handshake_errors_total",
		"Connections closed before the TLS handshake completed, for example because the CRD's caBundle does not match the certificate. Includes TCP probes.")
	reading("crosswalk_ready", "1 while /readyz answers 200, else 0.", func(s serverState) float64 { return s.ready })
	reading("crosswalk_draining", "1 after the first termination signal, else 0.", func(s serverState) float64 { return s.draining })
	reading("crosswalk_reviews_in_flight", "Slots that reviews in progress hold.", func(s serverState) float64 { return s.reviews })
	reading("crosswalk_reviews_in_flight_limit", "Limit of crosswalk_reviews_in_flight: 8 for each CPU. One kind may hold half of it.",
		func(s serverState) float64 { return s.reviewsLimit })
	reading("crosswalk_reviews_waiting", "Reviews in the queue, each for at most 1 s.",
		func(s serverState) float64 { return s.waiting })
	reading("crosswalk_request_buffers_bytes", "Bytes in buffers for request bodies larger than 16 KiB.", func(s serverState) float64 { return s.buffers })
	reading("crosswalk_response_buffers_bytes", "Bytes in responses larger than 16 KiB that clients have not read, or reserved for them.",
		func(s serverState) float64 { return s.answers })
	reading("crosswalk_connections", "Open connections on the review port, at most --max-connections.",
		func(s serverState) float64 { return s.connections })
	tally("crosswalk_cache_hits_total", "Objects answered from the cache.", func(u host.CacheStats) uint64 { return u.Hits })
	tally("crosswalk_cache_misses_total", "Cache lookups that found no entry.", func(u host.CacheStats) uint64 { return u.Misses })
	tally("crosswalk_cache_evictions_total", "Cache entries evicted to make room for others.",
		func(u host.CacheStats) uint64 { return u.Evicted })
	reading("crosswalk_cache_bytes", "Size of the cache, in bytes.", func(serverState) float64 { return float64(m.cache.Load().Stats().Bytes) })
	m.certificateExpiry = gauge("crosswalk_tls_certificate_expiry_timestamp_seconds",
		"Expiry of the earliest-expiring certificate in the served chain, in seconds since the epoch.")
	m.certificateReloaded = gauge("crosswalk_tls_last_reload_successful",
		"1 if the certificate that is served is that of the files, else 0.")

	for _, code := range rejectionCodes {
		m.rejected.WithLabelValues(codeLabel(code))
	}
	return m
}

// Untrusted returns the last handshake that a client ended because it does not trust the certificate; nil
// if there was none.
func (m *Metrics) Untrusted() *Failure { return m.untrusted.Load() }

// Cache has the metrics show a cache; nil shows as an empty one.
func (m *Metrics) Cache(c *host.Cache) { m.cache.Store(c) }

func codeLabel(code int) string { return strconv.Itoa(code) }
