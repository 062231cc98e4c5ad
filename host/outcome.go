package host

import "github.com/crosswalk-gateway/crosswalk/internal/faults"

// Outcome is the result of a review, for metrics and logs. It never has the content of an object.
type Outcome struct {
	UID           string // of the request
	ReviewVersion string // v1 or v1beta1

	// The requested conversion. Names that no file knows stay "", so that clients cannot invent
	// values of metric labels. From is "mixed" if the objects have several versions.
	Group, Kind, From, To string

	Objects  int     // how many the request holds
	Failure  string  // why the review failed, one of Failures; "" means success
	Message  string  // the failure's message in the answer
	Module   string  // file name of the module at fault, if it was one
	Loading  Loading // of a review without a route: the module of its kind that is being loaded
	Restored int     // how many objects came back with changes to metadata that no conversion may change, and that were undone

	// The result of the check against schemas: the number of violations, the number of pruned
	// fields, and the first of them in words.
	Invalid, Pruned int
	Violation       string

	Unchecked      int    // how many converted objects were not checked against all of their schema
	UncheckedCause string // the first of them in words
}

// The reasons of failures, besides the kinds of fault (package faults).
const (
	FailureInvalid  = "invalid"  // the request itself: a field missing or malformed, a limit passed
	FailureNoRoute  = "no_route" // no module, and no chain of modules, provides the conversion
	FailureRefused  = "refused"  // a guest refused an object
	FailureContract = "contract" // a guest's answer breaks the conversion contract (docs/spec/contract.md)
	FailureSchema   = "schema"   // a converted object breaks the schema of its version, and that is enforced
)

// Failures returns every value that Outcome.Failure has for a review that failed.
func Failures() []string {
	return append([]string{FailureInvalid, FailureNoRoute, FailureRefused, FailureContract, FailureSchema}, faults.All()...)
}
