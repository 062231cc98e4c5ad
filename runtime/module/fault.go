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
	FaultDeadline = "deadline" // the caller's deadline or the wall-clock limit of a call passed
	FaultMemory   = "memory"   // it ran out of memory
	FaultStack    = "stack"    // its call depth exceeded the limit
	FaultABI      = "abi"      // what it answered is not what docs/abi.md says
	FaultOutput   = "output"   // its answer is larger than an answer may be
	FaultBusy     = "busy"     // no instance became free in time: not the module's doing, worth a retry
	FaultBreaker  = "breaker"  // it failed so often in a row that it rests for a moment
	FaultInternal = "internal" // the gateway could not run it
)

// FaultError is a failure of a whole batch. It says what a guest, or the gateway around it, did wrong; it is data for the
// caller, never a panic.
type FaultError struct {
	Kind string // one of the Fault constants
	Err  error

	callers bool // a deadline: it was the caller who gave up, or had no time left
	object  int  // 1 + the index of the object that the guest crashed at; 0 if that is unknown
}

func (e *FaultError) Error() string { return e.Err.Error() }
func (e *FaultError) Unwrap() error { return e.Err }

// Fault returns the kind, one of the Fault constants.
func (e *FaultError) Fault() string { return e.Kind }

// Object returns the index of the object that the guest crashed at, among those it was given, if that is known.
func (e *FaultError) Object() (index int, known bool) { return e.object - 1, e.object > 0 }

// after returns the fault of a batch that has n objects before it in the same conversion.
func (e *FaultError) after(n int) *FaultError {
	if e == nil || e.object == 0 {
		return e
	}
	moved := *e
	moved.object += n
	return &moved
}

// blamesModule reports whether the fault is one that the module caused. A caller that goes away is no fault of the module's: whoever can
// send reviews could otherwise have it rest for everybody, by hanging up.
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

// byCaller says of a fault that the call ended with its caller's time or patience.
func (e *FaultError) byCaller() *FaultError {
	e.callers = true
	return e
}

// stop is what the meter's yield function panics with to unwind a guest; the engine hands it back wrapped in its own error.
type stop struct{ fault *FaultError }

func (s stop) Error() string { return s.fault.Error() }

// faultOf turns the error of a guest call into a fault. Which fault it was is decided by what the gateway itself did
// (stop), never by an exit code: a guest can exit with any code it likes (faults.md X10).
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
	// The engine's text is "wasm error: <what>\nwasm stack trace:\n…"; people need the first line, and the trace of a
	// module without names says little.
	first, _, _ := strings.Cut(err.Error(), "\n")
	if _, what, ok := strings.Cut(first, "wasm error: "); ok {
		first = what
	}
	if strings.Contains(first, "stack overflow") {
		return faultf(FaultStack, "the module's call depth exceeded the engine's limit (runaway recursion?)")
	}
	return faultf(FaultTrap, "the module trapped: %s", first)
}
