package main

import (
	"fmt"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// build has the sources of this binary, as recorded by the Go toolchain.
type build struct{ version, revision, goVersion string }

func readBuild() build {
	b := build{version: "unknown", revision: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.goVersion = info.GoVersion
	if info.Main.Version != "" {
		b.version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.revision = s.Value + b.revision[len("unknown"):]
		case s.Key == "vcs.modified" && s.Value == "true":
			b.revision += "-modified"
		}
	}
	return b
}

func (b build) String() string {
	return fmt.Sprintf("crosswalk gateway %s, revision %s, %s", b.version, b.revision, b.goVersion)
}

// metric is the constant 1 with the build in its labels.
func (b build) metric() prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "crosswalk_build_info", Help: "Always 1; the labels name the build.",
		ConstLabels: prometheus.Labels{"version": b.version, "revision": b.revision, "goversion": b.goVersion},
	})
	g.Set(1)
	return g
}
