package fuzz

// The properties that a converter can lack.
const (
	Lost       = "lost"       // a value is gone after A→B→A
	Changed    = "changed"    // a value is another one after A→B→A
	Added      = "added"      // a value is there after A→B→A that was not before
	Reordered  = "reordered"  // a list has another order after A→B→A
	Cut        = "cut"        // the API server prunes a field of the answer: the target's schema does not have it
	Rejected   = "rejected"   // the target's schema or CEL rules reject the answer
	Refused    = "refused"    // the module refuses a valid object
	Violation  = "violation"  // the module fails, or its answer breaks the conversion contract
	Chain      = "chain"      // A→C→B gives another object than A→B
	Dependent  = "dependent"  // the answer depends on the batch, the order, or earlier objects
	Fragment   = "fragment"   // a fragment gains fields, or is refused
	Stale      = "stale"      // values kept in annotations undo a change
	Undeclared = "undeclared" // the answer depends on fields that are not declared, or declared fields do not exist
	Size       = "size"       // an object near the size limit grows beyond it
)

// The classes of the findings that compare two values. Sidecars name them, too: see artifact.Loss.
const (
	ClassValue   = "value"   // a value that is not empty is lost, changed or added, or an element of a list, or an entry of a map
	ClassEmpty   = "empty"   // a field gains or loses an empty value, as encoding/json does with Go's zero values
	ClassNoField = "noField" // the schema of the other version has no field for the value
)
