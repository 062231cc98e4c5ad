package fuzz

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/shrink"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// Finding is a fault of a converter, with the smallest object found that shows it.
type Finding struct {
	Property string          `json:"property"`
	Class    string          `json:"class,omitempty"` // of the values; absent if none are compared
	From     string          `json:"from"`            // bare versions
	To       string          `json:"to"`
	Path     string          `json:"path"` // with [] for indices and * for the keys of maps; "." for the whole object
	At       string          `json:"at,omitempty"`
	Was      json.RawMessage `json:"was,omitempty"` // absent if the value was
	Is       json.RawMessage `json:"is,omitempty"`
	Detail   string          `json:"detail,omitempty"`
	Missing  string          `json:"missing,omitempty"` // of ClassNoField: the outermost field that the schema of To lacks
	Object   json.RawMessage `json:"object,omitempty"`  // of version From
	Large    json.RawMessage `json:"-"`                 // of Size: the object with the long value
	Fields   int             `json:"fields"`            // of the object: its innermost values without apiVersion, kind and metadata.name
	Whole    int             `json:"whole,omitempty"`   // the same of a stored object, if Object is a part of it
	Objects  int             `json:"objects"`           // how many objects were generated until it was found
	Count    int             `json:"count"`             // how many objects showed it
	Reason   string          `json:"reason,omitempty"`  // of the author who acknowledges it
	Cause    string          `json:"cause,omitempty"`   // the same for findings of one property, class and direction that have one cause

	also     []string // paths of the findings of the same cause, joined by Fold
	key      string
	hollow   bool // see symptom
	cutShort bool // the run ended before its path and class were known
}

// Text returns the finding in one line.
func (f *Finding) Text() string {
	way := f.From + "→" + f.To
	switch f.Property {
	case Lost, Changed, Added, Reordered, Stale:
		way += "→" + f.From
	}
	text := fmt.Sprintf("%s %s: %s", way, f.Path, f.Property)
	if values := f.Values(); values != "" {
		text += ": " + values
		if f.At != "" && general(f.At) != f.Path && !strings.Contains(f.Path, "*") {
			text += " at " + f.At
		}
	}
	if f.Detail != "" {
		text += " (" + f.Detail + ")"
	}
	return text + f.alsoText()
}

// maxObject is the most bytes of an object in a line: a finding has at most 2 KiB.
const maxObject = 1200

// Example returns the object for a line of a report; JSON has all of it.
func (f *Finding) Example() string {
	text := foreign.Shorten(f.Object, maxObject)
	if len(f.Object) > maxObject {
		text += fmt.Sprintf(" (%d bytes: -o json has all)", len(f.Object))
	}
	if f.Whole > 0 {
		text += fmt.Sprintf(" (%d of its %d fields)", f.Fields, f.Whole)
	}
	return text
}

// Values returns both values, as "was X, is Y".
func (f *Finding) Values() string {
	if f.Was == nil && f.Is == nil {
		return ""
	}
	shown := func(v json.RawMessage) string {
		if v == nil {
			return "absent"
		}
		return foreign.Shorten(v, maxShown)
	}
	return "was " + shown(f.Was) + ", is " + shown(f.Is)
}

// fieldsOf counts the innermost values of an object, without those that every object has.
func fieldsOf(object map[string]any) (n int) {
	for _, leaf := range shrink.Leaves(object) {
		if path := pathText(leaf); !slices.Contains([]string{"apiVersion", "kind", "metadata", "metadata.name"}, path) {
			n++
		}
	}
	return n
}

// Report is the result of Run.
type Report struct {
	Objects   int        `json:"objects"`         // generated
	Given     []string   `json:"given,omitempty"` // what API servers cut or reject of given objects, at their own version
	Findings  []Finding  `json:"findings"`
	Known     []Finding  `json:"known"`    // acknowledged by the sidecar
	Unused    []Unused   `json:"unused"`   // acknowledged, and did not occur
	Versions  []Coverage `json:"versions"` // of the objects
	Measures  []Measure  `json:"measures,omitempty"`
	Truncated bool       `json:"truncated"`         // there were more findings than are kept
	Stopped   string     `json:"stopped,omitempty"` // the time was over before Config.Objects: what to say of that
}

// Unused is an acknowledged loss that did not occur.
type Unused struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Path   string `json:"path"`
	Class  string `json:"class,omitempty"`
	Reason string `json:"reason"`
}

// Text returns the acknowledgement in one line, without its reason.
func (u *Unused) Text() string {
	class := ""
	if u.Class != "" {
		class = " (" + u.Class + ")"
	}
	return fmt.Sprintf("%s→%s %s%s: acknowledged, and did not occur", u.From, u.To, u.Path, class)
}

// Coverage counts the goals that the objects of one version reached.
type Coverage struct {
	Version   string   `json:"version"`
	Objects   int      `json:"objects"`
	Goals     int      `json:"goals"`
	Unreached []string `json:"unreached,omitempty"` // path: goal (reason)
	Kept      int      `json:"kept,omitempty"`      // values that annotations keep
	Large     int      `json:"large,omitempty"`     // of these, converted with a size near the limit
}

// maxFindings is the most findings that are kept, of those about empty values and of the others, each with its own shrunk object.
const maxFindings = 200

// acknowledge moves the findings that the sidecars acknowledge to Known. A finding that was cut
// short is dropped, with the batch that it was found in, if an entry may be about it.
func (r *Report) acknowledge(losses []artifact.Loss) {
	used := make([]bool, len(losses))
	rest := []Finding{} // JSON has lists, and no nulls
	r.Known, r.Unused = append([]Finding{}, r.Known...), append([]Unused{}, r.Unused...)
	for _, f := range r.Findings {
		i := slices.IndexFunc(losses, func(l artifact.Loss) bool { return acknowledges(l, &f) })
		if i < 0 && f.cutShort && slices.ContainsFunc(losses, func(l artifact.Loss) bool { return mayAcknowledge(l, &f) }) {
			continue
		}
		if i < 0 {
			rest = append(rest, f)
			continue
		}
		used[i] = true
		f.Reason = losses[i].Reason
		r.Known = append(r.Known, f)
	}
	r.Findings = rest
	for i, l := range losses {
		if l.Class == ClassHidden && r.Measures == nil {
			continue
		}
		occurs := slices.ContainsFunc(r.Known, func(f Finding) bool { return acknowledges(l, &f) })
		if !used[i] && !occurs {
			r.Unused = append(r.Unused, Unused{l.From, l.To, l.Path, l.Class, l.Reason})
		}
	}
}

// acknowledges reports whether a sidecar's entry is about a finding. A hidden field hides what is in it.
func acknowledges(l artifact.Loss, f *Finding) bool {
	return l.From == f.From && l.To == f.To && (l.Class == "" || l.Class == f.Class) && (covers(l.Path, f.Path) || l.Class == ClassHidden && Within(f.Path, l.Path))
}

// mayAcknowledge reports whether a sidecar's entry may be about a finding that was cut short.
func mayAcknowledge(l artifact.Loss, f *Finding) bool {
	return l.From == f.From && l.To == f.To && (f.Path == "." || covers(l.Path, f.Path))
}

// covers reports whether the path of an acknowledged loss is that of a finding, or ends with .* and
// the finding is below.
func covers(acknowledged, path string) bool {
	above, below := strings.CutSuffix(acknowledged, ".*")
	return acknowledged == path || below && above != path && (above == "" || Within(path, above))
}

// sort orders findings by their direction and path.
func (r *Report) sort() {
	for _, list := range [][]Finding{r.Findings, r.Known} {
		slices.SortStableFunc(list, func(a, b Finding) int {
			return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To), strings.Compare(a.Path, b.Path), strings.Compare(a.Property, b.Property))
		})
	}
}
