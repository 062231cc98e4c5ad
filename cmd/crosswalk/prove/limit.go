package prove

import (
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// The limits of a proof.
const (
	refused = "refused" // the converter refuses some objects, which keep all their values in the stored version
	edited  = "edited"  // an edit in the other version drops values of its neighbours that are kept
	twin    = "twin"    // kept values are absent in a version with the same schema, and an edit there may not reach this one
)

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

// limit notes a limit.
func (p *prover) limit(which string, line int, at path, format string, args ...any) {
	p.limitOf(Limit{Limit: which, Line: line, Path: at.String(), Text: fmt.Sprintf(format, args...)})
}

func (p *prover) limitOf(l Limit) {
	for i := range p.limits {
		if other := &p.limits[i]; other.Limit == l.Limit && other.Text == l.Text {
			if !slices.Contains(other.paths, l.Path) {
				other.More++
				other.paths = append(other.paths, l.Path)
			}
			return
		}
	}
	if len(p.limits) >= maxOpen { // a proof states all of its limits
		p.need(known, false, l.Line, path{l.Path}, "the proof would have more than %d limits", maxOpen)
		return
	}
	l.paths = []string{l.Path}
	p.limits = append(p.limits, l)
}
