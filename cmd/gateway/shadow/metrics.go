package shadow

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

func newMetric() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "crosswalk_shadow_conversions_total",
		Help: "Sampled conversions repeated by modules in --shadow-modules, by result: same, different, failed, or dropped for lack of time.",
	}, []string{"module", "group_kind", "from", "to", "result"})
}

// LoadCollector reports which shadow modules are loaded, when the metrics are read.
type LoadCollector struct{ registry *runtime.Registry }

func (LoadCollector) desc() *prometheus.Desc {
	return prometheus.NewDesc("crosswalk_shadow_module_last_reload_successful",
		"1 if the newest content of a file in --shadow-modules was loaded, else 0.", []string{"module"}, nil)
}

// Describe implements prometheus.Collector.
func (c LoadCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc() }

// Collect implements prometheus.Collector.
func (c LoadCollector) Collect(ch chan<- prometheus.Metric) {
	for _, st := range c.registry.Status() {
		if st.State == runtime.StateListing {
			continue
		}
		loaded := 1.0
		if st.LastError != "" || st.State == runtime.StateLoading {
			loaded = 0
		}
		ch <- prometheus.MustNewConstMetric(c.desc(), prometheus.GaugeValue, loaded, st.File)
	}
}
