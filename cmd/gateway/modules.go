package main

import (
	"github.com/crosswalk-gateway/crosswalk/host/serve"

	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// The runtime's types implement the host's interfaces.
var (
	_ host.Fault          = (*runtime.FaultError)(nil)
	_ host.Module         = (*runtime.Module)(nil)
	_ host.PreviousModule = (*runtime.PreviousModule)(nil)
)

// served is the set of modules that serves now, as the host sees it: the one place where the two packages meet. It may be used by
// many goroutines at once.
type served struct {
	metrics *serve.Metrics
	cache   *host.Cache                                             // nil: none
	want    func(group, kind string)                                // the registry's; nil: candidates wait for nobody
	loading func(group, kind string) (file string, since time.Time) // likewise
	changed func()                                                  // called after each replacement but the first, of nothing by an empty set
	current atomic.Pointer[routedSet]
}

// routedSet is a set and the routes over its modules. It is never changed.
type routedSet struct {
	set    *runtime.Set
	routes *host.Routes
}

// replace makes a set the current one. The registry releases the one before only after replace has returned.
func (s *served) replace(set *runtime.Set) {
	failed := make([]host.FailedModule, len(set.Failed()))
	for i, f := range set.Failed() {
		failed[i] = host.FailedModule(f)
	}
	next := &routedSet{set: set, routes: host.NewRoutes(hostEdges(set), failed...)}
	s.metrics.Expect(next.routes)
	defer s.cache.Keep(next.routes) // after the swap, or reviews under way could fill it again for modules that go
	if before := s.current.Swap(next); before != nil && s.changed != nil {
		s.changed()
	}
}

// hostEdges are what a set converts, in the host's words.
func hostEdges(set *runtime.Set) []host.Edge {
	bindings := set.Bindings()
	edges := make([]host.Edge, len(bindings))
	for i, b := range bindings {
		edges[i] = host.Edge{Group: b.Group, Kind: b.Kind, From: b.From, To: b.To, Module: b.Module}
		if b.Previous != nil { // or it would be one that is no nil
			edges[i].Previous = b.Previous
		}
	}
	return edges
}

// loaded is called when all modules that were there at the start are loaded or refused.
func (s *served) loaded() {
	if s.changed != nil {
		s.changed()
	}
}

// Missed has the modules of a kind loaded before others, if they wait to be.
func (s *served) Missed(group, kind string) {
	if s.want != nil {
		s.want(group, kind)
	}
}

// Loading names a module of a kind that is being loaded or waits for its turn.
func (s *served) Loading(group, kind string) host.Loading {
	if s.loading == nil {
		return host.Loading{}
	}
	file, since := s.loading(group, kind)
	return host.Loading{File: file, Since: since}
}

// routes are those that serve now, to look at; nobody may convert along them.
func (s *served) routes() *host.Routes {
	if now := s.current.Load(); now != nil {
		return now.routes
	}
	return nil
}

// Pin holds the current set until release is called.
func (s *served) Pin() (routes *host.Routes, release func()) {
	now := s.current.Load()
	for now != nil {
		if now.set.Acquire() {
			return now.routes, now.set.Release
		}
		// It was retired since it was loaded, so there is a newer one; unless the registry has ended, and there is none.
		next := s.current.Load()
		if next == now {
			break
		}
		now = next
	}
	return nil, func() {}
}

// verifyKeys reads --verify-key; none if it is not set.
func verifyKeys(file string) (sums.Keys, error) {
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--verify-key: %w", err)
	}
	keys, err := sums.ReadKeys(content)
	if err != nil {
		return nil, fmt.Errorf("--verify-key %s: %w", file, err)
	}
	return keys, nil
}

// checkDirectory says what is wrong with a directory of modules before anything else is begun.
func checkDirectory(flag, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s %s: the directory does not exist: create or mount it; modules can be added later", flag, dir)
	case err != nil:
		return fmt.Errorf("%s: %w", flag, err)
	case !info.IsDir():
		return fmt.Errorf("%s %s: not a directory: use the directory that contains the .wasm files", flag, dir)
	}
	return nil
}
