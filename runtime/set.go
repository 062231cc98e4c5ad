package runtime

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Set is the serving modules of one moment, and the module that converts each edge. It is
// immutable. A user holds it by Acquire and Release; after the last Release, the modules that are
// in no other set are closed.
type Set struct {
	refs     atomic.Int64 // users, plus one while it is the registry's current set
	holders  *holders
	bindings []Binding
	modules  []*module.Module
	failed   []Failed
}

// Failed is a file of a kind that is not loaded or was taken out of service, and that no previous
// version replaces.
type Failed struct {
	Group, Kind string
	File        string
	Reason      string
}

// Binding is the module that converts an edge, and the fallback for its failed batches; Previous is
// nil if there is none.
type Binding struct {
	artifact.Edge
	Module   *module.Module
	Previous *PreviousModule
}

// newSet returns a set with one user.
func (h *holders) newSet(modules []*module.Module, bindings []Binding, failed []Failed) *Set {
	s := &Set{holders: h, bindings: bindings, modules: modules, failed: failed}
	s.refs.Store(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range modules {
		h.sets[m]++
	}
	return s
}

// holders counts the sets that hold each module, so that a module is closed with the last of them.
// It is safe for concurrent use.
type holders struct {
	mu   sync.Mutex
	sets map[*module.Module]int // no entry once the module is closed
}

// drop ends the hold of a set, and closes the modules that no other set holds.
func (h *holders) drop(s *Set) {
	var last []*module.Module
	h.mu.Lock()
	for _, m := range s.modules {
		if h.sets[m]--; h.sets[m] == 0 {
			delete(h.sets, m)
			last = append(last, m)
		}
	}
	h.mu.Unlock()
	for _, m := range last {
		m.Close()
	}
}

// Bindings returns one entry for each edge. The caller must not change the slice.
func (s *Set) Bindings() []Binding { return s.bindings }

// Failed returns the files that are not loaded, for the messages of missing conversions, sorted by
// file. The caller must not change the slice.
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
	if s.refs.Add(-1) == 0 {
		s.holders.drop(s)
	}
}

// servedBy returns the module that converts an edge; nil if there is none, or no set.
func (s *Set) servedBy(e artifact.Edge) *module.Module {
	if s == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(s.bindings, e, func(b Binding, e artifact.Edge) int { return compareEdges(b.Edge, e) })
	if !ok {
		return nil
	}
	return s.bindings[i].Module
}
