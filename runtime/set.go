package runtime

import (
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Set is what serves at one moment: modules, and which of them converts each edge. It is immutable. Whoever uses it holds
// it by Acquire and lets it go by Release; when nobody holds it any more, the modules that are in no other set are closed.
type Set struct {
	refs     atomic.Int64 // users, and one for as long as it is the registry's current set
	bindings []Binding
	modules  []*module.Module
	failed   []Failed
}

// Failed is a file that is there to convert a kind and is not loaded, be it taken out of service, while nothing loaded before serves in its stead.
type Failed struct {
	Group, Kind string
	File        string
	Reason      string
}

// Binding says which module converts an edge, and what it fails; Previous is nil if nobody does.
type Binding struct {
	artifact.Edge
	Module   *module.Module
	Previous *PreviousModule
}

func newSet(modules []*module.Module, bindings []Binding, failed []Failed) *Set {
	s := &Set{bindings: bindings, modules: modules, failed: failed}
	s.refs.Store(1)
	for _, m := range modules {
		m.Retain()
	}
	return s
}

// Bindings returns what the set converts, one entry for each edge. The slice is not to be changed.
func (s *Set) Bindings() []Binding { return s.bindings }

// Failed returns what users who miss a conversion should be told, sorted by file. The slice is not to be changed.
func (s *Set) Failed() []Failed { return s.failed }

// Acquire takes hold of the set. It reports false if the set has been retired: there is a newer one then.
func (s *Set) Acquire() bool {
	for {
		n := s.refs.Load()
		if n == 0 {
			return false
		}
		if s.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release lets go of the set, once for each Acquire that returned true.
func (s *Set) Release() {
	if s.refs.Add(-1) > 0 {
		return
	}
	for _, m := range s.modules {
		m.Drop()
	}
}
