package fuzz

import (
	"fmt"
	"slices"
	"strings"
)

// What a client of the other version sees of a field, besides Lost and Refused.
const (
	Carried    = "carried"    // the value, outside of annotations, and a change of it there comes back
	Seen       = "seen"       // the value, and a change of it there does not come back
	Hidden     = "hidden"     // nothing: an annotation keeps the value
	Unlike     = "unlike"     // another value in the field of the same name, or the same one in a field of the opposite name
	Unmeasured = "unmeasured" // no object with the field was found in time
)

// ClassHidden is the class of findings about what clients of the other version see. Sidecars name it:
// see artifact.Loss.
const ClassHidden = "hidden"

// Measure says what clients of one version see of the objects of another one.
type Measure struct {
	From    string          `json:"from"`
	To      string          `json:"to"`
	Fields  []MeasuredField `json:"fields"`  // of From that differ in To
	Objects int             `json:"objects"` // of From that were converted
	Valid   int             `json:"valid"`   // of these, valid in To
}

// MeasuredField is a field that the schema of To does not have in the same form, or whose value differs
// there.
type MeasuredField struct {
	Path    string   `json:"path"`
	Verdict string   `json:"verdict"`          // the worst one of the values in it
	Within  []string `json:"within,omitempty"` // the values in it with this verdict, if others have a better one
	At      string   `json:"at,omitempty"`     // where a value is seen in To
	Reason  string   `json:"reason,omitempty"` // of the author who acknowledges it

	alike   bool // both versions have the field
	example *subject
}

// paths returns the paths that a report names: the field, or the values in it with its verdict.
func (f *MeasuredField) paths() []string {
	if len(f.Within) > 0 {
		return f.Within
	}
	return []string{f.Path}
}

// Carries counts the fields that differ between the versions of measures, and those that are carried.
func Carries(measures []Measure) (carried, of int) {
	for _, m := range measures {
		for _, f := range m.Fields {
			if of++; f.Verdict == Carried {
				carried++
			}
		}
	}
	return carried, of
}

// Lines says the measures of each pair of versions in one line.
func Lines(measures []Measure) (lines []string) {
	var pairs [][]Measure
	for _, m := range measures {
		i := slices.IndexFunc(pairs, func(p []Measure) bool { return p[0].From == m.To && p[0].To == m.From })
		if i < 0 {
			pairs = append(pairs, []Measure{m})
		} else {
			pairs[i] = append(pairs[i], m)
		}
	}
	for _, p := range pairs {
		line := lineOf(p)
		if len(pairs) > 1 {
			line = p[0].From + ", " + p[0].To + ": " + line
		}
		lines = append(lines, line)
	}
	return lines
}

func lineOf(pair []Measure) string {
	carried, of := Carries(pair)
	text := fmt.Sprintf("carries %d of %d fields that differ", carried, of)
	switch {
	case of == 0:
		text = "no fields differ"
	case carried == of:
		text = fmt.Sprintf("carries all %d fields that differ", of)
	}
	if of == 1 {
		text = strings.Replace(text, "fields that differ", "field that differs", 1)
	}
	for _, verdict := range []string{Lost, Refused, Unlike, Seen, Hidden, Unmeasured} {
		for _, reason := range []bool{false, true} {
			var paths []string
			for _, m := range pair {
				for _, f := range m.Fields {
					if f.Verdict == verdict && (f.Reason != "") == reason {
						paths = append(paths, f.paths()...)
					}
				}
			}
			if len(paths) == 0 {
				continue
			}
			slices.Sort(paths)
			paths = slices.Compact(paths)
			text += "; " + verdict
			if reason {
				text += " for a reason"
			}
			text += ": " + enumerated(paths, maxPaths)
		}
	}
	for i, m := range pair {
		if m.Objects == 0 {
			continue
		}
		if i == 0 {
			text += fmt.Sprintf("; %d %% of %s's objects are valid at %s", m.Valid*100/m.Objects, m.From, m.To)
		} else {
			text += fmt.Sprintf(", %d %% of %s's at %s", m.Valid*100/m.Objects, m.From, m.To)
		}
	}
	return text
}

// questions are the findings of the measures: fields that clients of the other version could see, and do
// not. A field that one version alone has is none, unless the other version has such a field, too: the
// two may be one.
func (r *Report) questions(acknowledged func(*Finding) string) {
	left := map[string][]string{} // fields without a reason that nothing carries, by direction
	all := make([][]Finding, len(r.Measures))
	for i := range r.Measures {
		m := &r.Measures[i]
		for j := range m.Fields {
			f := &m.Fields[j]
			if f.Verdict == Carried || f.Verdict == Unmeasured || f.Verdict == Lost || f.Verdict == Refused {
				continue // the latter two have findings of their own
			}
			reasons := 0
			for _, path := range f.paths() {
				found := Finding{Property: f.Verdict, Class: ClassHidden, From: m.From, To: m.To, Path: path, Objects: 1, Count: 1, Detail: f.detail(m)}
				if f.example != nil {
					found.Object, found.Fields = f.example.text, fieldsOf(f.example.value)
				}
				switch found.Reason = acknowledged(&found); {
				case found.Reason != "":
					f.Reason = found.Reason
					reasons++
				case f.Verdict == Hidden && !f.alike:
					left[m.From+" "+m.To] = append(left[m.From+" "+m.To], path)
				}
				all[i] = append(all[i], found)
			}
			if reasons < len(f.paths()) {
				f.Reason = ""
			}
		}
	}
	for i, m := range r.Measures {
		others := left[m.To+" "+m.From]
		for _, f := range all[i] {
			asks := f.Property != Hidden || f.Reason != "" || !slices.Contains(left[m.From+" "+m.To], f.Path)
			if !asks && len(others) > 0 {
				f.Detail = fmt.Sprintf("clients of %s do not see it, and clients of %s do not see %s: write a rule if they are one field, or a reason if they are not", m.To, m.From, enumerated(others, 3))
				asks = true
			}
			if asks {
				r.Findings = append(r.Findings, f)
			}
		}
	}
}

// Asks returns the findings about fields that clients of the other version do not see.
func (r *Report) Asks() []Finding {
	all := []Finding{}
	for _, f := range r.Findings {
		if f.Class == ClassHidden {
			all = append(all, f)
		}
	}
	return all
}

// detail explains the verdict.
func (f *MeasuredField) detail(m *Measure) string {
	switch {
	case f.Verdict == Unlike && f.At != f.Path:
		return fmt.Sprintf("%s of %s has the same value, and its name says the opposite", f.At, m.To)
	case f.Verdict == Unlike:
		return m.To + " has a field with this name and form, with another value"
	case f.Verdict == Seen:
		return fmt.Sprintf("clients of %s see it, and a change that they make does not come back", m.To)
	case f.alike:
		return m.To + " has this field, and its clients do not see the value"
	}
	return fmt.Sprintf("clients of %s do not see it", m.To)
}
