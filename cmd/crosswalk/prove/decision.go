package prove

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// decision is what was decided about a pair of versions: the lemmas that apply, the conditions that
// are open, and the limits of the proof.
type decision struct {
	without  condition // is taken to hold, for the tests
	applied  []Open    // the lemmas, as conditions that hold
	open     []Open
	limits   []Limit
	mistyped []Open // fields of other types than a rule is about
}

// maxOpen is the most open conditions that are reported of a pair of versions. One is enough for the
// answer.
const maxOpen = 200

// need notes a condition that does not hold. It returns whether it holds.
func (d *decision) need(c condition, holds bool, line int, at path, format string, args ...any) bool {
	if holds || d.without == c {
		return true
	}
	if len(d.open) >= maxOpen {
		return false
	}
	o := Open{string(c), line, at.String(), fmt.Sprintf(format, args...)}
	if !slices.Contains(d.open, o) {
		d.open = append(d.open, o)
	}
	return false
}

// typed notes a field of a version that has another type than a rule for it, or the other version; "" is any
// type. Fields without a rule are not a mistake in the file.
func (d *decision) typed(s *schema.Structural, want string, line int, at path, version, why string) {
	number := func(name string) bool { return name == "integer" || name == "number" }
	if line > 0 && s != nil && s.Type != "" && want != "" && s.Type != want && !(number(s.Type) && number(want)) {
		o := Open{Line: line, Path: at.String(), Text: fmt.Sprintf("it is of type %s in %s, and %s %s", s.Type, version, why, want)}
		if !slices.Contains(d.mistyped, o) && len(d.mistyped) < maxOpen {
			d.mistyped = append(d.mistyped, o)
		}
	}
}

// limit notes a limit.
func (d *decision) limit(which string, line int, at path, format string, args ...any) {
	d.limitOf(Limit{Limit: which, Line: line, Path: at.String(), Text: fmt.Sprintf(format, args...)})
}

// limitOf notes a limit, once for all fields with the same one.
func (d *decision) limitOf(l Limit) {
	for i := range d.limits {
		if other := &d.limits[i]; other.Limit == l.Limit && other.Text == l.Text {
			if !slices.Contains(other.paths, l.Path) {
				other.More++
				other.paths = append(other.paths, l.Path)
			}
			return
		}
	}
	if len(d.limits) >= maxOpen { // a proof states all of its limits
		d.need(known, false, l.Line, path{l.Path}, "the proof would have more than %d limits", maxOpen)
		return
	}
	l.paths = []string{l.Path}
	d.limits = append(d.limits, l)
}

// apply notes the lemma of a rule.
func (d *decision) apply(r placed) {
	d.applied = append(d.applied, Open{Line: r.Line, Path: r.where(r.Side).String(), Text: r.Written})
}
