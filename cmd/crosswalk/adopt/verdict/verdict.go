// Package verdict says whether a module may take the place of the operator's code: from the results of
// a comparison, and the lines by which a person accepts the rest.
package verdict

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/compare"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// Verdict is the result of the comparison for one kind.
type Verdict string

// The verdicts. Only Equal says that a module may take the place of the operator's code.
const (
	Equal       Verdict = "equal"        // every object, with all of the conversions' code run
	NotSearched Verdict = "not searched" // the same, but no main was searched that may set variables
	NotEqual    Verdict = "not equal"    // a result differs
	NotShown    Verdict = "not shown"    // no result differs, but the comparison did not see enough
	NotCompared Verdict = "not compared" // --no-run
	NotBuilt    Verdict = "not built"
)

// refusedShare is the largest share of refused objects, and of those at which the operator's code
// panics, among the compared, with which a kind can be equal: one in this many. Objects are chosen
// so that the operator's code takes them, so that more of them mean that it cannot be run as it is.
const refusedShare = 5

// largeNumbers is the name by which a line of adopt.lock accepts that nothing beyond was compared.
var largeNumbers = fmt.Sprintf("numbers-above-%d", compare.LargestNumber)

// unseenMetadata is the name by which a line of adopt.lock accepts results that depend on metadata which
// a gateway shows no module.
const unseenMetadata = "metadata"

// answerRefused begins the refusals, in package adopttest, of results that no API server accepts.
const answerRefused = "an API server refuses the webhook's answer: "

// Judge sets the verdict, with a reason for each thing that stands against equal.
func (r *Result) Judge(a Accepted) {
	differing, compared := 0, 0
	var open reasons
	for _, p := range r.Pairs {
		differing, compared = differing+p.Differing, compared+p.Compared
		way := p.From + " to " + p.To
		if why, ok := strings.CutPrefix(first(p.Refusals), answerRefused); ok && p.Refused == p.Compared {
			open.add(way, "no API server accepts an answer of the operator's own webhook, so no client depends on this conversion: %s", why)
		} else if p.Refused*refusedShare > p.Compared && !a.Has("refused", "-") {
			open.add(way, "%d of %d objects are refused, such as with %q", p.Refused, p.Compared, first(p.Refusals))
		}
		if p.Panicked*refusedShare > p.Compared {
			open.add(way, "%d objects make the operator's code panic, and %d do not: %s", p.Panicked, p.Compared, first(p.Panics))
		}
		for _, f := range p.FailedSamples {
			if !a.Has("refused", "-") {
				open.add(way, "%d of the operator's own %d samples fail in its code: %s", f.Count, p.Samples, OneLine(f.Text))
			}
		}
		if p.Unseen > 0 && !a.Has("uncompared", unseenMetadata) {
			open.add(way, "the results of %d objects depend on metadata.managedFields or metadata.resourceVersion (accept uncompared %s), which a module does not see: they differ at %s", p.Unseen, unseenMetadata, List(p.UnseenAt, 4))
		}
		for _, n := range p.NeverAccepted {
			if !a.Has("refused", n.Path) {
				open.add(way, "every object with %s is refused: %s", n.Path, OneLine(n.Text))
			}
		}
		if left := a.without("uncompared", p.NeverCompared); len(left) > 0 {
			open.add(way, "no object with %s was compared", List(left, 8))
		}
	}
	if r.Crash != "" && !a.Has("uncompared", largeNumbers) {
		open.add("", "no object with a number above %d was compared (accept uncompared %s): with others, the operator's code ends its process: %s", compare.LargestNumber, largeNumbers, r.Crash)
	}
	if compared == 0 {
		open.add("", "no object was compared")
	}
	if c := r.Coverage; c == nil {
		open.add("", "the blocks of the operator's conversions that ran were not counted")
	} else if left := a.without("uncovered", c.Missing); len(left) > 0 {
		open.add("", "%d of %d blocks of the operator's conversions never ran: %s", len(left), c.Blocks, List(left, 12))
	}
	all := append(open.lines(), r.State...)
	switch {
	case differing > 0:
		r.Verdict = NotEqual
		r.Reasons = append([]string{fmt.Sprintf("%d of %d objects differ", differing, compared)}, all...)
	case len(all) > 0:
		r.Verdict, r.Reasons = NotShown, append(all, r.condition()...)
	case len(r.Unsearched) > 0:
		r.Verdict, r.Reasons = NotSearched, r.condition()
	default:
		r.Verdict = Equal
	}
}

// NotCompared sets the verdict of a module that was built only.
func (r *Result) NotCompared() {
	r.Verdict, r.Reasons = NotCompared, slices.Concat(r.State, r.condition())
	if len(r.Reasons) > 0 {
		r.Verdict = NotShown
	}
}

// condition returns the reason for which no module is equal without a search of the operator's main.
func (r *Result) condition() []string {
	if len(r.Unsearched) == 0 {
		return nil
	}
	return []string{"no main was searched: equal only if nothing sets " + strings.Join(r.Unsearched, ", ")}
}

// reasons are texts with the directions that they hold for.
type reasons struct {
	texts []string
	ways  map[string][]string
}

func (r *reasons) add(way, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if r.ways == nil {
		r.ways = map[string][]string{}
	}
	if _, ok := r.ways[text]; !ok {
		r.texts = append(r.texts, text)
	}
	r.ways[text] = append(r.ways[text], way)
}

func (r *reasons) lines() (lines []string) {
	for _, text := range r.texts {
		if way := strings.Join(r.ways[text], ", "); way != "" {
			text = way + ": " + text
		}
		lines = append(lines, text)
	}
	return lines
}

func first(texts []compare.Text) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0].Text
}

// List joins names, some of them if they are many.
func List(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Line is the verdict in one line.
func (r *Result) Line() string {
	objects := 0
	for _, p := range r.Pairs {
		objects += p.Compared
	}
	switch r.Verdict {
	case Equal:
		text := fmt.Sprintf("equal: %d objects", objects)
		if c := r.Coverage; c != nil {
			text += fmt.Sprintf(", %d of %d blocks of the operator's conversions ran", c.Ran, c.Blocks)
		}
		return text
	case NotCompared:
		return "not compared"
	}
	text := string(r.Verdict) + ": " + r.Reasons[0]
	if n := len(r.Reasons) - 1; n > 0 {
		text += fmt.Sprintf("; and %d more", n)
	}
	return text
}

// ErrNotSearched reports that a module is equal to the operator's code unless a main that was not searched
// sets variables.
var ErrNotSearched = errors.New("equal only on a condition")

// ErrNotEqual reports that a module is not shown to be equal to the operator's code.
var ErrNotEqual = errors.New("not shown to be equal to the operator's code")

// OneLine returns a text without its line breaks.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// File is the file with the result of a kind, for programs.
const File = "report.json"

// Result is the result for one kind. Sizes are bytes.
type Result struct {
	Kind       string   `json:"kind"`
	Group      string   `json:"group"`
	Verdict    Verdict  `json:"verdict"`
	Reasons    []string `json:"reasons"`    // against equal
	State      []string `json:"state"`      // dependences beside the object that nobody accepted
	Unsearched []string `json:"unsearched"` // variables that an operator's main may set, if no main was searched
	Accepted   []string `json:"accepted"`   // lines of adopt.lock
	compare.Comparison
	Sizes project.Sizes `json:"sizes"`
	Load  float64       `json:"load"` // seconds of CPU
}

// Write writes report.json.
func (r *Result) Write(dir string) error {
	for i := range r.Pairs {
		r.Pairs[i].Sample = nil
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return gocmd.WriteFile(filepath.Join(dir, File), append(text, '\n'))
}
