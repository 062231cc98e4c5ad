package module

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// Metrics are the metrics of modules. Label values are names of files in the module directory, at
// most a few hundred, and the fixed kinds of fault. They are safe for concurrent use.
type Metrics struct {
	duration   *prometheus.HistogramVec
	objects    *prometheus.CounterVec
	faults     *prometheus.CounterVec
	fuel       *prometheus.CounterVec
	logDropped *prometheus.CounterVec
}

// moduleMetrics are one module file's children, looked up once.
type moduleMetrics struct {
	duration   prometheus.Observer
	objects    prometheus.Counter
	fuel       prometheus.Counter
	logDropped prometheus.Counter
	faults     map[string]prometheus.Counter
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		reg.MustRegister(v)
		return v
	}
	m := &Metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "crosswalk_module_call_duration_seconds",
			Help:    "Time of one batch in a module, including the wait for an instance.",
			Buckets: prometheus.ExponentialBuckets(20e-6, 2.5, 14), // 20 µs, the fastest guest, to 3 s, beyond the limit of a call
		}, []string{"module"}),
		objects: counter("crosswalk_module_objects_total",
			"Objects passed to a module.", "module"),
		faults: counter("crosswalk_module_faults_total",
			"Batches that failed in a module, by fault. Refused objects and cancelled requests are not counted.", "module", "fault"),
		fuel: counter("crosswalk_module_fuel_total",
			"Fuel that a module used; one unit is about one WebAssembly instruction.", "module"),
		logDropped: counter("crosswalk_module_log_dropped_bytes_total",
			"Bytes of a module's log output dropped because of the limit per call.", "module"),
	}
	reg.MustRegister(m.duration)
	return m
}

// forModule looks up a module's series, and so creates them.
func (m *Metrics) forModule(file string) *moduleMetrics {
	mm := &moduleMetrics{
		duration:   m.duration.WithLabelValues(file),
		objects:    m.objects.WithLabelValues(file),
		fuel:       m.fuel.WithLabelValues(file),
		logDropped: m.logDropped.WithLabelValues(file),
		faults:     map[string]prometheus.Counter{},
	}
	for _, kind := range faults.All() {
		mm.faults[kind] = m.faults.WithLabelValues(file, kind)
	}
	return mm
}

// Forget drops the series of a file that is not known any more.
func (m *Metrics) Forget(file string) {
	labels := prometheus.Labels{"module": file}
	for _, v := range []*prometheus.CounterVec{m.objects, m.faults, m.fuel, m.logDropped} {
		v.DeletePartialMatch(labels)
	}
	m.duration.DeletePartialMatch(labels)
}
