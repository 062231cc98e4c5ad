package runtime

import (
	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the package's metrics. Label values are names of files in the module directory, of which there are at most a
// few hundred, and the fixed kinds of fault.
type metrics struct {
	info          *prometheus.GaugeVec
	reloadOK      *prometheus.GaugeVec
	reloadTime    *prometheus.GaugeVec
	reloadFailure *prometheus.CounterVec
	orphaned      *prometheus.GaugeVec
	declared      *prometheus.GaugeVec
	duration      *prometheus.HistogramVec
	objects       *prometheus.CounterVec
	faults        *prometheus.CounterVec
	fuel          *prometheus.CounterVec
	logDropped    *prometheus.CounterVec
	probation     *prometheus.GaugeVec
	previous      *prometheus.CounterVec
	cacheLoads    *prometheus.CounterVec
	rollbacks     *prometheus.CounterVec
	instances     *prometheus.GaugeVec
	passes        prometheus.Counter
	watchDegraded prometheus.GaugeFunc
}

// moduleMetrics are one module file's children, looked up once.
type moduleMetrics struct {
	duration   prometheus.Observer
	objects    prometheus.Counter
	fuel       prometheus.Counter
	logDropped prometheus.Counter
	previous   prometheus.Counter
	faults     map[string]prometheus.Counter
}

// faultKinds are all kinds a fault can have, so that a series exists before its first fault.
var faultKinds = []string{
	FaultTrap, FaultFuel, FaultDeadline, FaultMemory, FaultStack, FaultABI, FaultOutput, FaultBusy, FaultBreaker, FaultInternal,
}

// cacheResults are what looking a module up in the compile cache may come to.
var cacheResults = []string{"hit", "miss", "damaged"}

func newMetrics(reg prometheus.Registerer, degraded func() bool) *metrics {
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
		reg.MustRegister(v)
		return v
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		reg.MustRegister(v)
		return v
	}
	m := &metrics{
		info: gauge("crosswalk_module_info",
			"Always 1, for each serving module, with the SHA-256 of its file.", "module", "sha256"),
		reloadOK: gauge("crosswalk_module_last_reload_successful",
			"1 if the newest content of the module's file was loaded; 0 if it was not and the last good content, if any, still serves.", "module"),
		reloadTime: gauge("crosswalk_module_last_reload_success_timestamp_seconds",
			"Load time of the serving module, in seconds since the epoch.", "module"),
		reloadFailure: counter("crosswalk_module_reload_failures_total",
			"Failed attempts to load a module's file.", "module"),
		orphaned: gauge("crosswalk_module_orphaned",
			"1 while a module serves although its file was deleted.", "module"),
		declared: gauge("crosswalk_module_declared_fields",
			"Fields that the serving module declares; it receives only these. 0 if it receives whole objects.", "module"),
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
		probation: gauge("crosswalk_module_probation",
			"1 while a module is on probation and falls back to the previous version for failed batches.", "module"),
		cacheLoads: counter("crosswalk_compile_cache_loads_total",
			"Lookups of modules in --compile-cache, by result: hit was loaded from it, miss was compiled, damaged was compiled because the entry failed its check.", "result"),
		previous: counter("crosswalk_module_previous_batches_total",
			"Batches that failed in a module on probation and that the previous version converted.", "module"),
		rollbacks: counter("crosswalk_module_rollbacks_total",
			"Rollbacks of a module to the previous version.", "module"),
		instances: prometheus.NewGaugeVec(prometheus.GaugeOpts{ // registered through instanceCollector
			Name: "crosswalk_module_instances",
			Help: "Instances of a module, by state: working or idle.",
		}, []string{"module", "state"}),
		passes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "crosswalk_module_directory_passes_total",
			Help: "Scans of the module directory.",
		}),
	}
	for _, result := range cacheResults {
		m.cacheLoads.WithLabelValues(result)
	}
	m.watchDegraded = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "crosswalk_module_watch_degraded",
		Help: "1 while the module directory delivers no file events and is only polled.",
	}, func() float64 {
		if degraded() {
			return 1
		}
		return 0
	})
	reg.MustRegister(m.duration, m.passes, m.watchDegraded)
	return m
}

// forModule looks up a module's series, and so creates them.
func (m *metrics) forModule(file string) *moduleMetrics {
	mm := &moduleMetrics{
		duration:   m.duration.WithLabelValues(file),
		objects:    m.objects.WithLabelValues(file),
		fuel:       m.fuel.WithLabelValues(file),
		logDropped: m.logDropped.WithLabelValues(file),
		previous:   m.previous.WithLabelValues(file),
		faults:     map[string]prometheus.Counter{},
	}
	for _, kind := range faultKinds {
		mm.faults[kind] = m.faults.WithLabelValues(file, kind)
	}
	return mm
}

// forget drops what is said of a file that is no longer known.
func (m *metrics) forget(file string) {
	labels := prometheus.Labels{"module": file}
	for _, v := range []*prometheus.GaugeVec{m.info, m.reloadOK, m.reloadTime, m.orphaned, m.declared, m.instances, m.probation} {
		v.DeletePartialMatch(labels)
	}
	for _, v := range []*prometheus.CounterVec{m.reloadFailure, m.objects, m.faults, m.fuel, m.logDropped, m.previous, m.rollbacks} {
		v.DeletePartialMatch(labels)
	}
	m.duration.DeletePartialMatch(labels)
}
