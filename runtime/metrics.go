package runtime

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// metrics are the metrics of a registry, besides those of its modules. Label values are names of
// files in the module directory, of which there are at most a few hundred, and the fixed kinds of
// fault.
type metrics struct {
	modules       *load.Metrics
	info          *prometheus.GaugeVec
	reloadOK      *prometheus.GaugeVec
	reloadTime    *prometheus.GaugeVec
	reloadFailure *prometheus.CounterVec
	orphaned      *prometheus.GaugeVec
	declared      *prometheus.GaugeVec
	previous      *prometheus.CounterVec
	rollbacks     *prometheus.CounterVec
	instances     *prometheus.GaugeVec
	scans         prometheus.Counter
	read          *prometheus.GaugeVec
	watchDegraded prometheus.GaugeFunc
}

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
		modules: load.NewMetrics(reg),
		info: gauge("crosswalk_module_info",
			"Always 1, for each serving module, with the SHA-256 of its file.", "module", "sha256"),
		reloadOK: gauge("crosswalk_module_last_reload_successful",
			"1 if the newest content of the module's file was loaded, else 0.", "module"),
		reloadTime: gauge("crosswalk_module_last_reload_success_timestamp_seconds",
			"Load time of the serving module, in seconds since the epoch.", "module"),
		reloadFailure: counter("crosswalk_module_reload_failures_total",
			"Failed attempts to load a module's file.", "module"),
		orphaned: gauge("crosswalk_module_orphaned",
			"1 while a module serves although its file was deleted.", "module"),
		declared: gauge("crosswalk_module_declared_fields",
			"Fields that the serving module declares; it receives only these. 0 if it receives whole objects.", "module"),
		previous: counter("crosswalk_module_previous_batches_total",
			"Batches that failed in a module on probation and that the previous version converted.", "module"),
		rollbacks: counter("crosswalk_module_rollbacks_total",
			"Rollbacks of a module to the previous version.", "module"),
		instances: prometheus.NewGaugeVec(prometheus.GaugeOpts{ // registered through instanceCollector
			Name: "crosswalk_module_instances",
			Help: "Instances of a module, by state: working or idle.",
		}, []string{"module", "state"}),
		scans: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "crosswalk_module_directory_passes_total",
			Help: "Scans of the module directory.",
		}),
		read: gauge("crosswalk_module_directory_last_read_success_timestamp_seconds",
			"Time of the last scan that could read the module directory, in seconds since the epoch. Without owners, owner is empty.", "owner"),
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
	reg.MustRegister(m.scans, m.watchDegraded)
	return m
}

// forget deletes the series of a file that was removed.
func (m *metrics) forget(file string) {
	labels := prometheus.Labels{"module": file}
	for _, v := range []*prometheus.GaugeVec{m.info, m.reloadOK, m.reloadTime, m.orphaned, m.declared, m.instances} {
		v.DeletePartialMatch(labels)
	}
	for _, v := range []*prometheus.CounterVec{m.reloadFailure, m.previous, m.rollbacks} {
		v.DeletePartialMatch(labels)
	}
	m.modules.Forget(file)
}

// instanceCollector reports the instances of all modules when the metrics are read.
type instanceCollector struct {
	gauge       *prometheus.GaugeVec
	eachServing func(func(*module.Module))
}

func (c instanceCollector) Describe(ch chan<- *prometheus.Desc) { c.gauge.Describe(ch) }

func (c instanceCollector) Collect(ch chan<- prometheus.Metric) {
	c.eachServing(func(m *module.Module) {
		idle, working := m.Instances()
		c.gauge.WithLabelValues(m.Name(), "idle").Set(float64(idle))
		c.gauge.WithLabelValues(m.Name(), "working").Set(float64(working))
	})
	c.gauge.Collect(ch)
}
