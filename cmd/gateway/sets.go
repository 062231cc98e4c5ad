package main

import (
	"sync/atomic"

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

// sets has the set of modules that serves now, with the routes over it: the one place where host
// and runtime meet. It is safe for concurrent use.
type sets struct {
	metrics *serve.Metrics
	cache   *host.Cache // may be nil
	current atomic.Pointer[routedSet]
}

// routedSet is a set and the routes over its modules. It is never changed.
type routedSet struct {
	set    *runtime.Set
	routes *host.Routes
}

func newSets(metrics *serve.Metrics, cache *host.Cache) *sets {
	return &sets{metrics: metrics, cache: cache}
}

// replace makes a set the current one. The registry releases the previous set only after replace
// has returned.
func (s *sets) replace(set *runtime.Set) {
	failed := make([]host.FailedModule, len(set.Failed()))
	for i, f := range set.Failed() {
		failed[i] = host.FailedModule(f)
	}
	next := &routedSet{set: set, routes: s.routes().Next(hostEdges(set), failed...)}
	s.metrics.Expect(next.routes)
	s.current.Store(next)
	s.cache.Keep(next.routes) // after the swap: before it, running reviews could fill the cache again for modules that go
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

// routes returns the current routes for inspection; nil before the first set. Their modules may be
// closed: do not convert with them.
func (s *sets) routes() *host.Routes {
	if now := s.current.Load(); now != nil {
		return now.routes
	}
	return nil
}

// Pin keeps the current set in use until release is called.
func (s *sets) Pin() (routes *host.Routes, release func()) {
	now := s.current.Load()
	for now != nil {
		if now.set.Acquire() {
			return now.routes, now.set.Release
		}
		// The set was retired after it was loaded here: either there is a newer one, or the
		// registry has ended.
		next := s.current.Load()
		if next == now {
			break
		}
		now = next
	}
	return nil, func() {}
}

// serving has the sets of the serving modules, and their registry. It implements host.Modules.
type serving struct {
	*sets
	registry *runtime.Registry
}

// Missed has the registry load modules of a kind before others, if some wait to be loaded.
func (s serving) Missed(group, kind string) { s.registry.Want(group, kind) }

// Loading returns a module of a kind that is being loaded or waits to be loaded.
func (s serving) Loading(group, kind string) host.Loading {
	file, since := s.registry.Loading(group, kind)
	return host.Loading{File: file, Since: since}
}
