package load

import (
	"errors"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// BusyError reports that a module was not loaded because the machine was busy: the wall-clock time
// ran out before the module had used the fuel or processor time that loading may cost. The module
// is not at fault; the same content may load later.
type BusyError struct{ Err error }

func (e *BusyError) Error() string {
	return "the machine was too busy to load the module, which is tried again soon: " + e.Err.Error()
}

func (e *BusyError) Unwrap() error { return e.Err }

// IsBusy reports whether a module failed to load for lack of processor time.
func IsBusy(err error) bool {
	var busy *BusyError
	return errors.As(err, &busy)
}

// busyOr returns the error of a load as a *BusyError if it is a wall-clock deadline of the module's
// own calls. It keeps a deadline of the caller: the gateway is shutting down.
func busyOr(err error) error {
	var fault *module.FaultError
	if errors.As(err, &fault) && fault.Kind == faults.Deadline && !fault.ByCaller() && !IsBusy(err) {
		return &BusyError{err}
	}
	return err
}
