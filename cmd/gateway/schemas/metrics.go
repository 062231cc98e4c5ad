package schemas

import "github.com/prometheus/client_golang/prometheus"

// metrics are the package's metrics. Their label is a file of the module directory.
type metrics struct{ reloaded, missing *prometheus.GaugeVec }

func newMetrics(reg prometheus.Registerer) metrics {
	m := metrics{
		reloaded: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "crosswalk_schema_last_reload_successful",
			Help: "1 if the newest content of a CustomResourceDefinition's file was loaded, else 0.",
		}, []string{"file"}),
		missing: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "crosswalk_conversions_missing",
			Help: "Conversions that API servers may request according to a CustomResourceDefinition's file and that no module provides.",
		}, []string{"file"}),
	}
	reg.MustRegister(m.reloaded, m.missing)
	return m
}
