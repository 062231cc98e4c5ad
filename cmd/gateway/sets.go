package main

import (
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// The runtime's types implement the host's interfaces.
var (
	_ host.Fault          = (*module.FaultError)(nil)
	_ host.Module         = (*module.Module)(nil)
	_ host.PreviousModule = (*runtime.PreviousModule)(nil)
)

// publish replaces the routes and their modules, the one place where host and runtime meet. The
// registry releases the previous set only after publish has returned. cache may be nil.
func publish(sets *host.Sets, set *runtime.Set, metrics *serve.Metrics, cache *host.Cache) {
	failed := make([]host.FailedModule, len(set.Failed()))
	for i, f := range set.Failed() {
		failed[i] = host.FailedModule(f)
	}
	routes := sets.Routes().Next(hostEdges(set), failed...)
	metrics.Expect(routes)
	sets.Replace(set, routes)
	cache.Keep(routes) // after the swap: before it, running reviews could fill the cache again for modules that go
}

// hostEdges returns the conversions of a set as the host has them.
func hostEdges(set *runtime.Set) []host.Edge {
	bindings := set.Bindings()
	edges := make([]host.Edge, len(bindings))
	for i, b := range bindings {
		edges[i] = host.Edge{Group: b.Group, Kind: b.Kind, From: b.From, To: b.To, Module: b.Module}
		if b.Previous != nil { // a nil *PreviousModule in the interface would not compare equal to nil
			edges[i].Previous = b.Previous
		}
	}
	return edges
}

// serving is host.Modules of the serving modules, with their registry.
type serving struct {
	*host.Sets
	registry *runtime.Registry
}

// Missed has the registry load modules of a kind before others, if some wait to be loaded.
func (s serving) Missed(group, kind string) { s.registry.Want(group, kind) }

// Loading returns a module of a kind that is being loaded or waits to be loaded.
func (s serving) Loading(group, kind string) host.Loading {
	file, since := s.registry.Loading(group, kind)
	return host.Loading{File: file, Since: since}
}
