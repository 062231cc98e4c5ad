// Package faults names the kinds of fault by which a batch fails as a whole. The host and the
// runtime share the names: they are label values of metrics, and values of log fields. A refusal,
// by which a module answers one object with a reason, is not a fault.
package faults

// The kinds of fault.
const (
	Trap     = "trap"     // the guest crashed: it ran into a WebAssembly trap, exited or answered with status 2
	Fuel     = "fuel"     // it used up the work that one batch may cost
	Deadline = "deadline" // the time for the request, or for a call, was up
	Memory   = "memory"   // it ran out of memory
	Stack    = "stack"    // its call depth exceeded the limit
	ABI      = "abi"      // its response violates docs/spec/abi.md
	Output   = "output"   // its answer is larger than an answer may be
	Busy     = "busy"     // no instance was free in time: retriable
	Breaker  = "breaker"  // its circuit breaker is open after consecutive failures
	Internal = "internal" // the gateway failed
)

// All returns every kind of fault.
func All() []string {
	return []string{Trap, Fuel, Deadline, Memory, Stack, ABI, Output, Busy, Breaker, Internal}
}

// BlamesModule reports whether a module causes faults of this kind. A batch that fails for lack of
// instances, at an open circuit breaker or by a bug of the gateway did not run in the module.
func BlamesModule(kind string) bool {
	switch kind {
	case Busy, Breaker, Internal:
		return false
	}
	return true
}
