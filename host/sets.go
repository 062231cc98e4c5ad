package host

import "sync/atomic"

// Set is a set of modules that stay usable while it has users. The runtime's Set is one.
type Set interface {
	// Acquire adds a user. It returns false if the set is retired: then there is a newer one.
	Acquire() bool
	// Release removes a user, once for each Acquire that returned true.
	Release()
}

// Sets are Modules whose set is replaced while reviews convert. The zero value has no set. It is
// safe for concurrent use.
type Sets struct{ current atomic.Pointer[routedSet] }

// routedSet is a set and the routes over its modules. It is never changed.
type routedSet struct {
	set    Set
	routes *Routes
}

// Replace makes a set the current one. Reviews that hold the previous set end with it, so retire
// that one only afterwards.
func (s *Sets) Replace(set Set, routes *Routes) { s.current.Store(&routedSet{set, routes}) }

// Routes returns the current routes for inspection; nil before the first set. Their modules may be
// closed: do not convert with them.
func (s *Sets) Routes() *Routes {
	if now := s.current.Load(); now != nil {
		return now.routes
	}
	return nil
}

// Pin keeps the current set in use until release is called.
func (s *Sets) Pin() (routes *Routes, release func()) {
	now := s.current.Load()
	for now != nil {
		if now.set.Acquire() {
			return now.routes, now.set.Release
		}
		// The set was retired after it was loaded here: either there is a newer one, or nothing
		// serves any more.
		next := s.current.Load()
		if next == now {
			break
		}
		now = next
	}
	return nil, func() {}
}

// Missed does nothing.
func (*Sets) Missed(_, _ string) {}

// Loading returns the zero value: no review waits for a module.
func (*Sets) Loading(_, _ string) Loading { return Loading{} }
