package module

import "errors"

// BusyError says that a module was not loaded because the machine was busy: the wall-clock time ran out before the module had used the
// fuel, or the processor time, that loading may cost. The module is not at fault, and the same content may load a moment later.
type BusyError struct{ Err error }

func (e *BusyError) Error() string {
	return "the machine was too busy to load the module, which is tried again soon: " + e.Err.Error()
}

func (e *BusyError) Unwrap() error { return e.Err }

// isBusy reports whether a module failed to load for lack of processor time.
func IsBusy(err error) bool {
	var busy *BusyError
	return errors.As(err, &busy)
}

// busyOr returns the error of a load as a *BusyError if it is a wall-clock deadline of the module's own calls. A deadline of the caller
// is left alone: the gateway is shutting down.
func busyOr(err error) error {
	var fault *FaultError
	if errors.As(err, &fault) && fault.Kind == FaultDeadline && !fault.callers && !IsBusy(err) {
		return &BusyError{err}
	}
	return err
}
