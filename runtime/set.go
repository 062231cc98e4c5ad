package runtime

import (
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Set is the serving modules of one moment, and the module that converts each edge. It is immutable. A user holds it by Acquire
// and Release; after the last Release, the modules that are in no other set are closed.
type Set struct {
	refs     atomic.Int64 // users, plus one while it is the registry's current set
	bindings []Binding
	modules  []*module.Module
	failed   []Failed
}

// Failed is a file of a kind that is not loaded or was taken out of service, and that no previous version replaces.
type Failed struct {
	Group, Kind string
	File        string
	Reason      string
}

// Binding is the module that converts an edge, and the fallback for its failed batches; Previous is nil if there is none.
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

// Bindings returns one entry for each edge. The caller must not change the slice.
func (s *Set) Bindings() []Binding { return s.bindings }

// Failed returns the files that are not loaded, for the messages of missing conversions, sorted by file. The caller must not
// change the slice.
func (s *Set) Failed() []Failed { return s.failed }

// Acquire adds a user. It returns false if the set is retired: then there is a newer one.
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

// Release removes a user, once for each Acquire that returned true.
func (s *Set) Release() {
	if s.refs.Add(-1) > 0 {
		return
	}
	for _, m := range s.modules {
		m.Drop()
	}
}
