package prove

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// The limits of a proof.
const (
	refused = "refused" // the converter refuses some objects, which keep all their values in the stored version
	edited  = "edited"  // an edit in the other version drops values of its neighbours that are kept
	unset   = "unset"   // an object of the other version lacks a default, which API servers set when they decode
	applied = "applied" // an applier cannot withdraw a part of a value that the other version has as one field
	twin    = "twin"    // kept values are absent in a version with the same schema, and an edit there may not reach this one
)

// excluded names what no proof is about: docs/author/prove.md#limits explains it.
var excluded = []string{"apply", "size", "depth", "annotations", "stash", "nulls", "hashes", "chain"}

// Limit is a limit of the theorem: objects that are refused, or edits that drop kept values.
type Limit struct {
	Limit string `json:"limit"`
	Line  int    `json:"line,omitempty"` // of the first rule with the limit
	Path  string `json:"path"`
	More  int    `json:"more,omitempty"` // fields of other rules with the same limit
	Text  string `json:"text"`

	paths   []string        // all fields
	accepts syntax.Accepted // the entry of lossy that accepts the refusal
}

func (l Limit) String() string {
	at := l.Path
	switch {
	case l.More == 1:
		at += " and 1 other field"
	case l.More > 1:
		at += fmt.Sprintf(" and %d other fields", l.More)
	}
	return Open{l.Limit, l.Line, at, l.Text}.String()
}
