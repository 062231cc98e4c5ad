package output

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// Verdict is the outcome of one check.
type Verdict string

// The verdicts.
const (
	Pass  Verdict = "ok"
	Note  Verdict = "note"  // allowed, but the author should know
	Known Verdict = "known" // it fails, and the sidecar says that it does, and why
	Skip  Verdict = "skip"  // nothing suitable to check with
	Fail  Verdict = "FAIL"
	Sees  Verdict = "sees" // what clients see, which a reader should know beside any other verdict
)

// Result is the verdict of one check.
type Result struct {
	Context string        `json:"context,omitempty"` // of the kubeconfig, if there are several
	Module  string        `json:"module,omitempty"`  // file name
	File    string        `json:"-"`                 // the path of the module or of its golden case, for annotations; Module if it is empty
	Line    int           `json:"-"`                 // in File; 0 if unknown
	Edge    string        `json:"edge,omitempty"`    // such as v1→v2; empty for a check of the whole module
	Check   string        `json:"check"`
	Key     string        `json:"-"` // by which annotations of two runs are the same; Check if it is empty
	Verdict Verdict       `json:"verdict"`
	Why     string        `json:"why,omitempty"` // of several lines, perhaps
	Took    time.Duration `json:"-"`
	Quiet   bool          `json:"-"` // not in the table, because the command has written it
}

// place names the context and the module of a result.
func (r Result) place() string { return strings.TrimSpace(r.Context + "  " + r.Module) }

// ReportFormats are the formats that a Report can write.
var ReportFormats = []Format{Table, JSON, YAML, JUnit}

// CheckFormats are those for results about files, which annotations can be shown beside.
var CheckFormats = []Format{Table, JSON, YAML, JUnit, GitHub, SARIF}

// Report collects the results of a command and writes them in a format: a table while results
// arrive, the others at the end. It is not safe for concurrent use.
type Report struct {
	out     io.Writer
	format  Format
	quiet   bool // a table without the passes
	results []Result
	count   map[Verdict]int
	context string // of the results to come
	module  string // of the last line of the table
}

// In sets the context of a kubeconfig to which the results to come belong.
func (r *Report) In(context string) { r.context = context }

// Results returns the number of results.
func (r *Report) Results() int { return len(r.results) }

// NewReport returns a report for a format of CheckFormats. A table lists passes only if all is
// set.
func NewReport(out io.Writer, format Format, all bool) *Report {
	return &Report{out: out, format: format, quiet: !all, count: map[Verdict]int{}}
}

// Add adds results.
func (r *Report) Add(results ...Result) {
	for _, result := range results {
		r.add(result)
	}
}

func (r *Report) add(result Result) {
	result.Context = r.context
	r.results = append(r.results, result)
	r.count[result.Verdict]++
	if r.format != Table || result.Quiet || r.quiet && result.Verdict == Pass {
		return
	}
	paint := Paint(r.out)
	if place := result.place(); place != r.module && place != "" {
		r.module = place
		fmt.Fprintf(r.out, "%s\n", place)
	}
	colour := map[Verdict]Colour{Pass: Green, Fail: Red, Note: Yellow, Known: Yellow, Skip: Grey}[result.Verdict]
	fmt.Fprintf(r.out, "  %s  ", paint(colour, fmt.Sprintf("%-5s", result.Verdict)))
	if result.Edge != "" {
		fmt.Fprintf(r.out, "%s  ", result.Edge)
	}
	fmt.Fprintf(r.out, "%s\n", result.Check)
	if result.Why != "" {
		fmt.Fprintf(r.out, "         %s\n", strings.ReplaceAll(result.Why, "\n", "\n         "))
	}
}

// Failed reports whether a result is a failure.
func (r *Report) Failed() bool { return r.count[Fail] > 0 }

// Close writes the rest: the totals of a table, or the whole of another format.
func (r *Report) Close() error {
	switch r.format {
	case JSON, YAML:
		return Write(r.out, r.format, struct {
			Passed  int      `json:"passed"`
			Failed  int      `json:"failed"`
			Known   int      `json:"known"`
			Skipped int      `json:"skipped"`
			Notes   int      `json:"notes"`
			Results []Result `json:"results"`
		}{r.count[Pass], r.count[Fail], r.count[Known], r.count[Skip], r.count[Note], append([]Result{}, r.results...)})
	case JUnit:
		return r.writeJUnit()
	case GitHub, SARIF:
		return WriteAnnotations(r.out, r.format, r.annotations(), reportRules())
	}
	known := ""
	if n := r.count[Known]; n > 0 {
		known = fmt.Sprintf("%d known, ", n)
	}
	notes := "notes"
	if r.count[Note] == 1 {
		notes = "note"
	}
	_, err := fmt.Fprintf(r.out, "%d passed, %d failed, %s%d skipped, %d %s\n", r.count[Pass], r.count[Fail], known, r.count[Skip], r.count[Note], notes)
	return err
}

// reportRules describes the rules of a report's annotations.
func reportRules() map[string]string {
	return map[string]string{
		"failed-check":  "A check of a module fails",
		"note":          "A check of a module has a doubt",
		"known-failure": "A check of a module fails, and its sidecar says why",
		"clients-see":   "The fields that clients of other versions see",
	}
}

// annotations returns the results that people should see: failures, and notes.
func (r *Report) annotations() (list []Annotation) {
	for _, result := range r.results {
		var rule string
		var level Level
		switch result.Verdict {
		case Fail:
			rule, level = "failed-check", LevelError
		case Note:
			rule, level = "note", LevelWarning
		case Known:
			rule, level = "known-failure", LevelNote
		case Sees:
			rule, level = "clients-see", LevelNote
		default:
			continue
		}
		file := result.File
		if file == "" {
			file = result.Module
		}
		a := Annotation{Rule: rule, Level: level, Title: strings.TrimSpace(result.Context + " " + strings.TrimSpace(result.Edge+" "+result.Check)), Message: result.Why, File: file, Line: result.Line, Place: result.Edge, Key: result.Key}
		if a.Message == "" {
			a.Message = a.Title
		}
		list = append(list, a)
	}
	return list
}

// Write writes a value as JSON or YAML, with the names of its JSON form.
func Write(out io.Writer, format Format, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if format == YAML {
		text, err = AppendYAML(nil, text)
	} else {
		text, err = indent(text)
	}
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string    `xml:"classname,attr"`
	Name    string    `xml:"name,attr"`
	Time    string    `xml:"time,attr"`
	Failure *junitWhy `xml:"failure,omitempty"`
	Skipped *junitWhy `xml:"skipped,omitempty"`
	Out     string    `xml:"system-out,omitempty"`
}

type junitWhy struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes one test suite for each module.
func (r *Report) writeJUnit() error {
	var suites []*junitSuite
	byName, took := map[string]*junitSuite{}, map[string]time.Duration{}
	for _, result := range r.results {
		s := byName[result.place()]
		if s == nil {
			s = &junitSuite{Name: result.place()}
			byName[result.place()] = s
			suites = append(suites, s)
		}
		c := junitCase{Class: strings.TrimSpace(result.place() + " " + result.Edge), Name: result.Check, Time: fmt.Sprintf("%.3f", result.Took.Seconds())}
		first, _, _ := strings.Cut(result.Why, "\n")
		s.Tests++
		switch result.Verdict {
		case Fail:
			s.Failures++
			c.Failure = &junitWhy{first, result.Why}
		case Skip, Known:
			s.Skipped++
			c.Skipped = &junitWhy{Message: first}
		default:
			c.Out = result.Why
		}
		took[s.Name] += result.Took
		s.Time = fmt.Sprintf("%.3f", took[s.Name].Seconds())
		s.Cases = append(s.Cases, c)
	}
	text, err := xml.MarshalIndent(struct {
		XMLName xml.Name      `xml:"testsuites"`
		Suites  []*junitSuite `xml:"testsuite"`
	}{Suites: suites}, "", "  ")
	if err != nil {
		return err
	}
	_, err = r.out.Write(append(append([]byte(xml.Header), text...), '\n'))
	return err
}
