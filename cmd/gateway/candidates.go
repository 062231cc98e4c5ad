package main

import (
	"github.com/crosswalk-gateway/crosswalk/host/serve"

	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/shadow"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/codecache"
	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// candidateInstances is the most instances of all candidates together: one at work, and some that are kept warm.
const candidateInstances = 4

// candidates are the modules in --shadow-modules and what is learned of them.
type candidates struct {
	share   float64
	modules *runtime.Registry
	shadow  *shadow.Shadow
}

// candidates makes what --shadow-modules asks for; nil without it. Candidates pass the same gates as modules that serve, and then have
// instances, a converter, breakers and metrics of their own, so that nothing that they do touches the others.
func (o *options) candidates(keys sums.Keys, code *codecache.Cache, beside *runtime.Registry, like host.ConverterConfig, logger *slog.Logger, registerer prometheus.Registerer) (*candidates, error) {
	if o.shadowModules == "" {
		return nil, nil
	}
	if err := checkDirectory("--shadow-modules", o.shadowModules); err != nil {
		return nil, err
	}
	unseen := prometheus.NewRegistry() // the names are those of the modules that serve
	current := &served{metrics: serve.NewMetrics(unseen)}
	like.Modules, like.Cache, like.Schemas, like.EnforceSchemas = current, nil, nil, false
	logger = logger.With("shadow", true)
	c := &candidates{share: o.shadowShare, shadow: shadow.New(shadow.Config{
		Share: o.shadowShare, Review: host.NewConverter(like).Review, Logger: logger, Registerer: registerer,
	})}
	config := o.registry(keys, code, logger, unseen, func(set *runtime.Set) {
		current.replace(set)
		c.shadow.Follow(hostEdges(set))
	})
	config.Dir, config.Beside, config.Probation = o.shadowModules, beside, 0 // there is nobody to stand in for
	config.Limits.ModuleInstances, config.Limits.Instances = 1, candidateInstances
	var err error
	if c.modules, err = runtime.New(config); err != nil {
		return nil, fmt.Errorf("--shadow-modules %s: %w", o.shadowModules, err)
	}
	registerer.MustRegister(candidateCollector{c.modules})
	return c, nil
}

// shadowStatus is what /shadow shows.
type shadowStatus struct {
	Share   float64          `json:"share"`   // of conversions that are repeated
	Edges   []shadow.Status  `json:"edges"`   // what candidates convert, and how they did
	Modules []runtime.Status `json:"modules"` // the candidates' directory, as /modules has the other
}

func (c *candidates) status() any {
	return shadowStatus{c.share, c.shadow.Status(), c.modules.Status()}
}

// candidateCollector reports which candidates are loaded, when the metrics are read.
type candidateCollector struct{ modules *runtime.Registry }

func (candidateCollector) desc() *prometheus.Desc {
	return prometheus.NewDesc("crosswalk_shadow_module_last_reload_successful",
		"1 if the newest content of a file in --shadow-modules was loaded; 0 if it was not and the file is not compared.", []string{"module"}, nil)
}

// Describe implements prometheus.Collector.
func (c candidateCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc() }

// Collect implements prometheus.Collector.
func (c candidateCollector) Collect(ch chan<- prometheus.Metric) {
	for _, st := range c.modules.Status() {
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
