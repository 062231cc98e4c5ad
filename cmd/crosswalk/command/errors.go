package command

import (
	"errors"
	"fmt"
)

// Exit codes. Every command uses them alike, and docs/use/cli.md lists them.
const (
	ExitOK      = 0
	ExitFinding = 1 // the command ran, and found a fault in a module, an object or a definition
	ExitError   = 2 // the command line is wrong, a file cannot be read, or another error of the tool
	ExitOpen    = 3 // crosswalk adopt found no fault, and could not search what may cause one

	ExitInterrupted = 130 // the user interrupted the command, as shells say it: 128 and the signal
)

// UsageError is an error in the command line. It ends the process with ExitError and names --help.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Finding is a fault that a command found in a module, an object or a definition. It ends the
// process with Code, or with ExitFinding if that is 0. All other errors end it with ExitError.
type Finding struct {
	Err  error
	Code int
}

func (f Finding) Error() string { return f.Err.Error() }
func (f Finding) Unwrap() error { return f.Err }

// Findingf returns a Finding.
func Findingf(format string, args ...any) error { return Finding{Err: fmt.Errorf(format, args...)} }

// ErrFound ends the process with ExitFinding without a message: the command has printed the
// findings.
var ErrFound = errors.New("findings")

// ErrUsageShown ends the process with ExitError without a message: the help was the message.
var ErrUsageShown = errors.New("usage")
