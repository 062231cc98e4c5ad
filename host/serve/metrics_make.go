package serve

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// The constructors of metrics: each makes one, registers it and notes it for Docs.

func (m *Metrics) note(name, kind, help string, labels []string) {
	m.docs = append(m.docs, MetricDoc{Name: name, Type: kind, Labels: labels, Help: help})
}

func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.register(c)
	m.note(name, "counter", help, labels)
	return c
}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.register(c)
	m.note(name, "counter", help, nil)
	return c
}

func (m *Metrics) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	m.register(g)
	m.note(name, "gauge", help, nil)
	return g
}

// reading is a gauge that reads the server's state when it is scraped. It is 0 until there is a
// server.
func (m *Metrics) reading(name, help string, value func(serverState) float64) {
	m.register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
		if state := m.state.Load(); state != nil {
			return value((*state)())
		}
		return 0
	}))
	m.note(name, "gauge", help, nil)
}

// tally is a counter that reads the cache when it is scraped.
func (m *Metrics) tally(name, help string, value func(host.CacheStats) uint64) {
	m.register(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value(m.cache.Load().Stats())) }))
	m.note(name, "counter", help, nil)
}

// held is a gauge of the cache.
func (m *Metrics) held(name, help string, value func(host.CacheStats) float64) {
	m.register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return value(m.cache.Load().Stats()) }))
	m.note(name, "gauge", help, nil)
}

// Cache has the metrics show a cache; nil shows as an empty one.
func (m *Metrics) Cache(c *host.Cache) { m.cache.Store(c) }

func (m *Metrics) durations(name, help string, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: reviewTimes[:]}, labels)
	m.register(h)
	m.note(name, "histogram", help, labels)
	return h
}

// sizes spreads its buckets from 1 KiB to 256 MiB, in steps of four: the smallest review is just
// below the first, the default limits of a body (64 MiB) and of an answer (128 MiB) are in the last
// two.
func (m *Metrics) sizes(name, help string) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(1<<10, 4, 10),
	})
	m.register(h)
	m.note(name, "histogram", help, nil)
	return h
}

func codeLabel(code int) string { return strconv.Itoa(code) }
