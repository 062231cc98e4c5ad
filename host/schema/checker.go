package schema

import (
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// checker checks one object at a time. Once its buffers have grown, it allocates only for reports.
type checker struct {
	cursor
	account
	partial  bool
	unpruned bool // neither fields nor nulls are dropped anywhere
	report   func(Violation) (more bool)
	stopped  bool // report returned false

	kept  int            // how many embedded metadata we are in, where unknown fields are kept
	marks []uint64       // bits for the required members that were there, of all objects we are in
	keys  []rawjson.Span // places of the keys of the list map elements we are in; zero for one that is not there
	sets  uniquesPool

	trial trial
}

func newChecker() *checker { return &checker{} }

// over reports whether the check can stop.
func (c *checker) over() bool {
	return c.stopped || c.trial.failed || c.halted != nil || c.scanner.Err() != nil
}

// violate reports that the value at the path breaks a rule, given in parts. In a trial it only
// fails.
func (c *checker) violate(rule ...string) { c.tell("", false, rule...) }

// tell is violate for the value at the path, or for the member of it that is named.
func (c *checker) tell(member string, pruned bool, rule ...string) {
	switch {
	case c.halted != nil: // a verdict of half a check
	case c.trial.on:
		c.trial.failed = true
	case !c.stopped:
		c.spend(workOfValue * (len(c.path) + 1)) // the names on the path
		c.stopped = !c.report(Violation{c.where(member), strings.Join(rule, ""), pruned})
	}
}

// trial is the state of looking whether a value matches a schema, instead of reporting how it does
// not.
type trial struct {
	on     bool
	failed bool // it does not
	unsure bool // it may turn out not to, when the rest of the fragment is known
}

// container notes that the trial met an object or an array. In a fragment, more members may follow.
// The same goes for the trials around this one: they read the same value, or a value that contains
// it.
func (t *trial) container(partial bool) {
	if t.on && partial {
		t.unsure = true
	}
}

// Violation is one rule that an object breaks. It never has the value in it, so it may be logged.
type Violation struct {
	// Path is where: spec.replicas, spec.list[3].name, spec.map[key]. It is empty for the object
	// itself.
	Path string
	// Message is the rule, in the words of the schema: "must be an integer, not a string".
	Message string
	// Pruned says that the schema does not know the field. The API server drops the field silently,
	// with its content.
	Pruned bool
}

// String returns the violation in one line.
func (v Violation) String() string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + ": " + v.Message
}
