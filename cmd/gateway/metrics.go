package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
)

// buildMetric is the constant 1 with the build in its labels.
func buildMetric(b buildinfo.Build) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "crosswalk_build_info", Help: "Always 1; the labels name the build.",
		ConstLabels: prometheus.Labels{"version": b.Version, "revision": b.Revision, "goversion": b.GoVersion},
	})
	g.Set(1)
	return g
}
