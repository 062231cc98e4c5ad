package host

// Outcome says how a review went, for metrics and logs. It never holds what is in an object.
type Outcome struct {
	UID           string // of the request
	ReviewVersion string // v1 or v1beta1

	// The conversion asked for, as far as there are modules for it: names from a request that no module names stay "", so that
	// whoever sends requests cannot make up values of metric labels. From is "mixed" if the objects have several versions.
	Group, Kind, From, To string

	Objects  int     // how many the request holds
	Failure  string  // why the review failed, one of the constants below; "" means success
	Message  string  // what the answer says about the failure
	Module   string  // file name of the module at fault, if it was one
	Loading  Loading // of a review without a route: the module of its kind that is being loaded
	Restored int     // how many objects came back with changes to metadata that no conversion may change, and that were undone

	// What the check against schemas found: places that break a rule, places that the API server prunes, and the first of them in words.
	Invalid, Pruned int
	Violation       string

	Unchecked      int    // how many objects took more work to check than they may
	UncheckedCause string // the first of them in words
}

// Why a review failed. The Fault constants are also what the Fault method of a Module's error may return.
const (
	FailureInvalid  = "invalid"  // the request itself: a field missing or malformed, a limit passed
	FailureNoRoute  = "no_route" // no module, and no chain of them, converts what is asked for
	FailureRefused  = "refused"  // a guest said why it does not convert an object
	FailureContract = "contract" // a guest's answer breaks the conversion contract (docs/contract.md)
	FailureSchema   = "schema"   // a converted object breaks the schema of its version, and that is enforced

	FaultTrap     = "trap"     // the guest crashed
	FaultFuel     = "fuel"     // it used up the work that a batch may cost
	FaultDeadline = "deadline" // the time for the request, or for a call, was up
	FaultMemory   = "memory"   // it had no memory for the objects
	FaultStack    = "stack"    // its calls were nested too deep
	FaultABI      = "abi"      // its answer is not what docs/abi.md says
	FaultOutput   = "output"   // its answer is larger than an answer may be
	FaultBusy     = "busy"     // no instance of it became free in time
	FaultBreaker  = "breaker"  // it failed so often in a row that it rests
	FaultInternal = "internal" // the gateway itself failed
)

// Failures returns every value that Outcome.Failure has for a review that failed.
func Failures() []string {
	return []string{
		FailureInvalid, FailureNoRoute, FailureRefused, FailureContract, FailureSchema,
		FaultTrap, FaultFuel, FaultDeadline, FaultMemory, FaultStack, FaultABI, FaultOutput, FaultBusy, FaultBreaker, FaultInternal,
	}
}

// RequestError means that a request is not a ConversionReview that can be answered. Its sender gets the message with the HTTP status 400.
type RequestError struct {
	Message string // for the sender; API servers do not show it to their users
}

func (e *RequestError) Error() string { return e.Message }
