package module

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/sys"
)

// The kinds of fault. A refusal, by which a guest answers one object with a reason, is not a fault.
const (
	FaultTrap     = "trap"     // the guest crashed: it ran into a WebAssembly trap, exited or answered with status 2
	FaultFuel     = "fuel"     // it used up the work that one batch may cost
	FaultDeadline = "deadline" // the caller's deadline or the time limit of a call passed
	FaultMemory   = "memory"   // it ran out of memory
	FaultStack    = "stack"    // its call depth exceeded the limit
	FaultABI      = "abi"      // its response violates docs/abi.md
	FaultOutput   = "output"   // its answer is larger than an answer may be
	FaultBusy     = "busy"     // no instance was free in time: not the module's fault, retriable
	FaultBreaker  = "breaker"  // its circuit breaker is open after consecutive failures
	FaultInternal = "internal" // the gateway could not run it
)

// FaultError is the failure of a whole batch, caused by the guest or the gateway. It is data for the caller, never a panic.
type FaultError struct {
	Kind string // one of the Fault constants
	Err  error

	callers bool // a deadline: the caller gave up, or had no time left
	object  int  // 1 + the index of the object that the guest crashed at; 0 if unknown
}

func (e *FaultError) Error() string { return e.Err.Error() }
func (e *FaultError) Unwrap() error { return e.Err }

// Fault returns the kind, one of the Fault constants.
func (e *FaultError) Fault() string { return e.Kind }

// Object returns the index of the object that the guest crashed at, within the conversion, if it is known.
func (e *FaultError) Object() (index int, known bool) { return e.object - 1, e.object > 0 }

// after returns the fault of a batch that follows n objects of the same conversion.
func (e *FaultError) after(n int) *FaultError {
	if e == nil || e.object == 0 {
		return e
	}
	moved := *e
	moved.object += n
	return &moved
}

// blamesModule reports whether the module caused the fault. A cancelled request does not count: otherwise any client could open
// the module's circuit breaker by hanging up.
func (e *FaultError) blamesModule() bool { return BlamesModule(e.Kind) && !e.callers }

func BlamesModule(kind string) bool {
	switch kind {
	case FaultBusy, FaultBreaker, FaultInternal:
		return false
	}
	return true
}

func faultf(kind, format string, args ...any) *FaultError {
	return &FaultError{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// byCaller marks a fault as caused by the caller: its deadline passed or it cancelled.
func (e *FaultError) byCaller() *FaultError {
	e.callers = true
	return e
}

// stop is the panic value of the yield function, which unwinds a guest; the engine returns it wrapped in its own error.
type stop struct{ fault *FaultError }

func (s stop) Error() string { return s.fault.Error() }

// faultOf turns the error of a guest call into a fault. The gateway's own stop decides the kind, never an exit code: a guest can
// exit with any code (faults.md X10).
func faultOf(err error) *FaultError {
	var s stop
	var exit *sys.ExitError
	switch {
	case errors.As(err, &s):
		return s.fault
	case errors.As(err, &exit):
		return faultf(FaultTrap, "the module exited with code %d instead of returning", exit.ExitCode())
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return faultf(FaultDeadline, "%w", err).byCaller()
	}
	// The engine's text is "wasm error: <message>\nwasm stack trace:\n…". The first line is useful; the trace of a module without
	// names is not.
	first, _, _ := strings.Cut(err.Error(), "\n")
	if _, what, ok := strings.Cut(first, "wasm error: "); ok {
		first = what
	}
	if strings.Contains(first, "stack overflow") {
		return faultf(FaultStack, "the module's call depth exceeded the engine's limit (runaway recursion?)")
	}
	return faultf(FaultTrap, "the module trapped: %s", first)
}
