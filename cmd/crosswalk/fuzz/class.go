package fuzz

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The classes of the findings that compare two values. Sidecars name them, too: see artifact.Loss.
const (
	ClassValue   = "value"   // a value that is not empty is lost, changed or added, or an element of a list, or an entry of a map
	ClassEmpty   = "empty"   // a field gains or loses an empty value, as encoding/json does with Go's zero values
	ClassNoField = "noField" // the schema of the other version has no field for the value
)

// class returns the class of the difference. An entry counts even if its value is empty: its key,
// or the length of the list, is lost.
func (d *difference) class() string {
	if d.hollow && !d.entry {
		return ClassEmpty
	}
	return ClassValue
}

// hollow reports whether a value is absent or empty: the zero value of its type.
func hollow(value any) bool {
	switch v := value.(type) {
	case absent, nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0
	case float64:
		return v == 0
	}
	return emptyValue(value)
}

// isZeroText reports whether a value is the text that a zero value of metav1.Duration or of
// resource.Quantity has in JSON. Only an added one is as good as empty: a client who writes "0s" may
// mean it.
func isZeroText(value any) bool { return value == "0s" || value == "0" }

// emptyKey returns the key of a symptom without a value that is not empty. It differs from that of
// other symptoms at the path, so that an object never shrinks from one to the other.
func emptyKey(key string) string { return "empty " + key }

// dropHollow removes the findings about empty values at or around paths where other values are lost
// in the same way: they say less.
func (r *Report) dropHollow() {
	full := slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.hollow })
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		return f.hollow && slices.ContainsFunc(full, func(other Finding) bool {
			return f.Property == other.Property && f.From == other.From && f.To == other.To && within(other.Path, f.Path)
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

// maxPaths is the most paths in a line about empty values.
const maxPaths = 10

// Text returns the findings in one line.
func (e *Empty) Text() string {
	paths := strings.Join(e.Paths[:min(len(e.Paths), maxPaths)], ", ")
	if more := len(e.Paths) - maxPaths; more > 0 {
		paths += fmt.Sprintf(", and %d more", more)
	}
	fields, verbs := "fields", "gain or lose"
	if len(e.Paths) == 1 {
		fields, verbs = "field", "gains or loses"
	}
	return fmt.Sprintf("%s→%s→%s: %d %s %s an empty value, usually a zero value of Go: %s", e.From, e.To, e.From, len(e.Paths), fields, verbs, paths)
}

// Rest returns the paths that Text does not name, or "".
func (e *Empty) Rest() string {
	if len(e.Paths) <= maxPaths {
		return ""
	}
	return "and " + strings.Join(e.Paths[maxPaths:], ", ")
}
