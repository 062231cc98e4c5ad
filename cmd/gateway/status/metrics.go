package status

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// RequiredMetric returns a metric of missing conversions. It exists even without --require, so that
// an alert can use it.
func RequiredMetric(required []artifact.Edge, routes func() *host.Routes) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "crosswalk_required_conversions_missing",
		Help: "Conversions of --require that no module provides.",
	}, func() float64 {
		missing, now := 0, routes()
		for _, e := range required {
			if now.Path(e.Group, e.Kind, e.From, e.To) == nil {
				missing++
			}
		}
		return float64(missing)
	})
}

// PullMetric reports that time of each directory when the metrics are read, if crosswalk pull
// --watch fills it. Without owners, the label owner is empty.
type PullMetric struct{ Owners []runtime.Owner }

var pullMetric = prometheus.NewDesc("crosswalk_module_directory_last_pull_success_timestamp_seconds",
	"Time at which crosswalk pull --watch last found that the module directory has the registry's image, in seconds since the epoch. Absent if it does not fill the directory.", []string{"owner"}, nil)

// Describe implements prometheus.Collector.
func (PullMetric) Describe(ch chan<- *prometheus.Desc) { ch <- pullMetric }

// Collect implements prometheus.Collector.
func (m PullMetric) Collect(ch chan<- prometheus.Metric) {
	for _, o := range m.Owners {
		if at, ok := pulled(o.Dir); ok {
			ch <- prometheus.MustNewConstMetric(pullMetric, prometheus.GaugeValue, float64(at.UnixMilli())/1000, o.Name)
		}
	}
}
