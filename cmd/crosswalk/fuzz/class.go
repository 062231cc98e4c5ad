package fuzz

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// dropHollow removes the findings about empty values at or around paths where other values are lost
// in the same way: they say less.
func (r *Report) dropHollow() {
	full := slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.hollow })
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		return f.hollow && slices.ContainsFunc(full, func(other Finding) bool {
			return f.Property == other.Property && f.From == other.From && f.To == other.To && Within(other.Path, f.Path)
		})
	})
}

// Empty are the findings of ClassEmpty in one direction, which a report shows in one line.
type Empty struct {
	From, To string
	Reason   string   // of the author who acknowledges them
	Paths    []string // sorted
	Objects  int      // how many objects were generated until all were found
}

// Fold separates the findings of ClassEmpty from others, and joins those of a direction and reason.
// It joins the others that have one cause.
func Fold(findings []Finding) (others []Finding, empty []Empty) {
	for _, f := range findings {
		if f.Class != ClassEmpty {
			others = append(others, f)
			continue
		}
		i := slices.IndexFunc(empty, func(e Empty) bool { return e.From == f.From && e.To == f.To && e.Reason == f.Reason })
		if i < 0 {
			i = len(empty)
			empty = append(empty, Empty{From: f.From, To: f.To, Reason: f.Reason})
		}
		e := &empty[i]
		if !slices.Contains(e.Paths, f.Path) { // a field may be added to one object and lost in another
			e.Paths = append(e.Paths, f.Path)
		}
		e.Objects = max(e.Objects, f.Objects)
	}
	for _, e := range empty {
		slices.Sort(e.Paths)
	}
	slices.SortStableFunc(empty, func(a, b Empty) int {
		return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
	return Join(others), empty
}

// maxPaths is the most paths in a line.
const maxPaths = 10

// enumerated names at most so many of some fields.
func enumerated(paths []string, most int) string {
	text := strings.Join(paths[:min(len(paths), most)], ", ")
	if more := len(paths) - most; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// Text returns the findings in one line.
func (e *Empty) Text() string {
	fields, verbs := "fields", "gain or lose"
	if len(e.Paths) == 1 {
		fields, verbs = "field", "gains or loses"
	}
	return fmt.Sprintf("%s→%s→%s: %d %s %s an empty value, usually a zero value of Go: %s", e.From, e.To, e.From, len(e.Paths), fields, verbs, enumerated(e.Paths, maxPaths))
}

// Rest returns the paths that Text does not name, or "".
func (e *Empty) Rest() string {
	if len(e.Paths) <= maxPaths {
		return ""
	}
	return "and " + strings.Join(e.Paths[maxPaths:], ", ")
}

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

// AfterDefaults is in the detail of a finding that a version's defaults make, before the version's name.
const AfterDefaults = "after the API server sets the defaults of "

// The classes of the findings that compare two values. Sidecars name them, too: see artifact.Loss.
const (
	ClassValue   = "value"   // a value that is not empty is lost, changed or added, or an element of a list, or an entry of a map
	ClassEmpty   = "empty"   // a field gains or loses an empty value, as encoding/json does with Go's zero values
	ClassNoField = "noField" // the schema of the other version has no field for the value
	ClassDefault = "default" // a default that the API server set is missing in the answer, and not set again
)
