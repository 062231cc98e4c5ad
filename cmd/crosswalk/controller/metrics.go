package main

import "github.com/prometheus/client_golang/prometheus"

// unconvertible is the metric of the lookout.
func unconvertible() *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "crosswalk_controller_unconvertible_objects",
		Help: "Stored objects that did not convert at the last look, at most 100. Absent without the right to list the objects.",
	}, []string{"definition"})
}
