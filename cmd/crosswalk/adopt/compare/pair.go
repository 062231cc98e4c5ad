package compare

import (
	"encoding/json"
	"time"
)

// Pair is one direction. The SDK's package adopttest writes it, apart from the module's times. Times
// are nanoseconds of CPU for one object.
type Pair struct {
	From          string          `json:"from"`
	To            string          `json:"to"`
	Samples       int             `json:"samples"`       // the operator's own objects
	FailedSamples []Text          `json:"failedSamples"` // that the operator's code refuses, or at which it panics
	Given         int             `json:"given"`         // of the compared: samples, and objects made from the operator's definition
	Compared      int             `json:"compared"`
	Refused       int             `json:"refused"`  // of the compared
	Panicked      int             `json:"panicked"` // not compared
	Differing     int             `json:"differing"`
	Unstable      int             `json:"unstable"` // the operator's own results differ from each other
	UnstableAt    []string        `json:"unstableAt"`
	Unseen        int             `json:"unseen"` // results of the operator's code that depend on metadata which no module sees
	UnseenAt      []string        `json:"unseenAt"`
	Differences   []Difference    `json:"differences"` // some
	Refusals      []Text          `json:"refusals"`
	Panics        []Text          `json:"panics"`
	NeverAccepted []Unaccepted    `json:"neverAccepted"`
	NeverCompared []string        `json:"neverCompared"`
	Sample        json.RawMessage `json:"sample,omitempty"` // the object that is timed; not in the file
	Native        time.Duration   `json:"native"`           // by itself in a review
	Module        time.Duration   `json:"module"`
	NativeInAList time.Duration   `json:"nativeInAList"` // one of 1,000
	ModuleInAList time.Duration   `json:"moduleInAList"`
}

// Difference is a place where the module's result is not the operator's.
type Difference struct {
	Path   string `json:"path"`
	Module string `json:"module"`
	Want   string `json:"want"`
	Object string `json:"object"`
}

// Text is the text of an error with the number of its objects.
type Text struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
}

// Unaccepted is a member that only refused objects have.
type Unaccepted struct {
	Path  string `json:"path"`
	Text  string `json:"text"` // of a refusal
	Tries int    `json:"tries"`
}
