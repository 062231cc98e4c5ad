package module

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/sys"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// FaultError is the failure of a whole batch, caused by the guest or the gateway. It is data for
// the caller, never a panic.
type FaultError struct {
	Kind string // one of package faults
	Err  error

	callers bool // a deadline: the caller gave up, or had no time left
	object  int  // 1 + the index of the object that the guest crashed at; 0 if unknown
}

func (e *FaultError) Error() string { return e.Err.Error() }
func (e *FaultError) Unwrap() error { return e.Err }

// Fault returns the kind, one of package faults.
func (e *FaultError) Fault() string { return e.Kind }

// Object returns the index of the object that the guest crashed at, within the conversion, if it is
// known.
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

// BlamesModule reports whether the module caused the fault. A cancelled request does not count:
// otherwise any client could open the module's circuit breaker by hanging up.
func (e *FaultError) BlamesModule() bool { return faults.BlamesModule(e.Kind) && !e.callers }

// ByCaller reports whether the caller caused the fault: its deadline passed, or it cancelled.
func (e *FaultError) ByCaller() bool { return e.callers }

func faultf(kind, format string, args ...any) *FaultError {
	return &FaultError{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// byCaller marks a fault as caused by the caller: its deadline passed or it cancelled.
func (e *FaultError) byCaller() *FaultError {
	e.callers = true
	return e
}

// stop is the panic value of the yield function, which unwinds a guest; the engine returns it
// wrapped in its own error.
type stop struct{ fault *FaultError }

func (s stop) Error() string { return s.fault.Error() }

// maxRefusal bounds the text of a refusal in bytes: enough for an explanation, and short enough for
// a terminal.
const maxRefusal = 4 << 10

// faultOf turns the error of a guest call into a fault. The gateway's own stop decides the kind,
// never an exit code: a guest can exit with any code (faults.md X10).
func faultOf(err error) *FaultError {
	var s stop
	var exit *sys.ExitError
	switch {
	case errors.As(err, &s):
		return s.fault
	case errors.As(err, &exit):
		return faultf(faults.Trap, "the module exited with code %d instead of returning", exit.ExitCode())
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return faultf(faults.Deadline, "%w", err).byCaller()
	}
	// The engine's text is "wasm error: <message>\nwasm stack trace:\n…". The first line is useful;
	// the trace of a module without names is not.
	first, _, _ := strings.Cut(err.Error(), "\n")
	if _, what, ok := strings.Cut(first, "wasm error: "); ok {
		first = what
	}
	if strings.Contains(first, "stack overflow") {
		return faultf(faults.Stack, "the module's call depth exceeded the engine's limit (runaway recursion?)")
	}
	return faultf(faults.Trap, "the module trapped: %s", first)
}
