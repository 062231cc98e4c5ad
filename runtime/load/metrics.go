package load

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Metrics are the metrics of a Loader and of its modules. They are safe for concurrent use.
type Metrics struct {
	modules    *module.Metrics
	cacheLoads *prometheus.CounterVec
}

// cacheResults are the results of a lookup in the compile cache.
var cacheResults = []string{"hit", "miss", "damaged"}

// NewMetrics makes the metrics and registers them.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		modules: module.NewMetrics(reg),
		cacheLoads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "crosswalk_compile_cache_loads_total",
			Help: "Lookups of modules in --compile-cache, by result: hit, miss, or damaged if the entry failed its check.",
		}, []string{"result"}),
	}
	for _, result := range cacheResults {
		m.cacheLoads.WithLabelValues(result)
	}
	reg.MustRegister(m.cacheLoads)
	return m
}

// Forget drops the series of a file that is not known any more.
func (m *Metrics) Forget(file string) { m.modules.Forget(file) }
