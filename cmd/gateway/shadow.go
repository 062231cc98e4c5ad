package main

import (
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/shadow"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// shadowInstances bounds the instances of all shadow modules together: one works, the others stay
// warm.
const shadowInstances = 4

// shadows runs the modules of --shadow-modules on a sample of conversions. It returns nil without
// the flag. Shadow modules pass the same checks as serving modules. They have instances, a
// converter, circuit breakers and metrics of their own, so that they cannot affect serving modules.
func (o *options) shadows(keys sums.Keys, code *codecache.Cache, serving *runtime.Registry, logger *slog.Logger, registerer prometheus.Registerer, cpus *threads) (*shadow.Directory, error) {
	if o.shadowModules == "" {
		return nil, nil
	}
	if err := checkDirectory("--shadow-modules", o.shadowModules); err != nil {
		return nil, err
	}
	logger = logger.With("shadow", true)
	own := prometheus.NewRegistry() // not served: the metrics have the names of those of serving modules
	current, metrics := &host.Sets{}, serve.NewMetrics(own)
	converter, err := host.NewConverter(host.ConverterConfig{Modules: current, Limits: o.limits()})
	if err != nil {
		return nil, err
	}
	samples := shadow.New(shadow.Config{Share: o.shadowShare, Logger: logger, Registerer: registerer, Review: cpus.watch(converter.Review)})
	config := o.shadowRegistry(o.registry(keys, code, logger, own, cpus))
	config.Beside = serving
	config.OnSet = func(set *runtime.Set) {
		publish(current, set, metrics, nil)
		samples.Follow(hostEdges(set))
	}
	registry, err := runtime.New(config)
	if err != nil {
		return nil, fmt.Errorf("--shadow-modules %s: %w", o.shadowModules, err)
	}
	return shadow.NewDirectory(o.shadowShare, registry, samples, registerer), nil
}

// shadowRegistry returns the configuration for shadow modules that corresponds to one for serving
// modules. Shadow modules are not remembered as serving, and have nothing to fall back from.
func (o *options) shadowRegistry(config runtime.Config) runtime.Config {
	config.Owners = []runtime.Owner{{Dir: o.shadowModules}}
	config.Served, config.Probation = "", 0
	config.Limits.ModuleInstances, config.Limits.Instances = 1, shadowInstances
	return config
}
