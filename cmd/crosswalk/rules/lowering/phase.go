package lowering

import (
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// Phase orders the operations of a block: stashed values go first, while they are at their place in
// the object, and defaults and constants go last. Objects that were empty before are noted before
// values are taken out of others; those that are left empty go when nothing reads them any more.
type Phase int

const (
	Noting Phase = iota
	Stashing
	Thinning // constants in objects that may be filled then, and go on the way back
	Shaping
	Cleaning
	Clearing      // constants in objects that may go then
	CleaningAgain // these objects
	Giving
)

// Of returns an operation in the phase.
func (p Phase) Of(op program.Operation) []Phased { return []Phased{{op, p}} }

// Phased is an operation and its phase.
type Phased struct {
	program.Operation
	phase Phase
}

// Claim is a field that a rule reads or writes.
type Claim struct {
	Side  int
	Path  fieldpath.Path // from the object
	Rule  *syntax.Rule
	Phase Phase
}
