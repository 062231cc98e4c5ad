// Package compare runs a module and the operator's code on the same objects, and counts the results
// that differ, the objects without one, and the blocks of the operator's code that ran. It
// reports them; package verdict judges.
package compare

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// Config is one comparison.
type Config struct {
	Program    *operator.Program
	Resource   discover.Resource
	Extraction *extract.Extraction
	Dir        string // of the project, with its test
	Module     string // the file
	Crosswalk  string // the program that the test runs
	Sources    Sources
	Try        Try
	Note       func(format string, args ...any) // receives a line for people while the comparison runs
}

// Comparison is the result of a run.
type Comparison struct {
	Pairs    []Pair    `json:"pairs"`
	Coverage *Coverage `json:"coverage"`        // nil if it was not measured
	Crash    string    `json:"crash,omitempty"` // that objects with large numbers cause in the operator's code
}

// Run writes the objects' values into the project, runs its test, and measures the module.
//
// # Errors
//
// The test cannot be built, its process ended before the last object, or ctx ended. Differences are
// no error.
func Run(ctx context.Context, c Config) (seen Comparison, err error) {
	if err := c.Sources.find(ctx, c.Program, c.Resource, c.Extraction).write(c.Dir); err != nil {
		return seen, err
	}
	q := profile(c.Program, c.Resource, c.Extraction)
	written, profile := filepath.Join(c.Dir, ".report.json"), filepath.Join(c.Dir, ".coverage")
	for _, name := range []string{written, profile} {
		defer func() { _ = os.Remove(name) }()
		_ = os.Remove(name)
	}
	out, testErr := project.Test(ctx, c.Dir, c.Module, c.Crosswalk, written, q.packages(), profile)
	fatal := crash(out)
	if _, err := os.Stat(written); err != nil && outOfMemory(fatal) {
		seen.Crash = fatal
		c.Note("objects with large numbers end the process of the operator's code: %s; comparing objects with numbers up to %d", seen.Crash, LargestNumber)
		out, testErr = project.Test(ctx, c.Dir, c.Module, c.Crosswalk, written, q.packages(), profile, fmt.Sprintf("CROSSWALK_ADOPT_LARGEST=%d", LargestNumber))
		fatal = crash(out)
	}
	if ctx.Err() != nil {
		return seen, ctx.Err()
	}
	text, err := os.ReadFile(written)
	if err != nil && fatal != "" {
		return seen, fmt.Errorf("the comparison cannot go on: its process ended at one of the objects: %s", fatal)
	}
	if signal := killed(out); err != nil && signal != "" {
		return seen, fmt.Errorf("the comparison did not end: a signal (%s) ended its process, as when the machine has no memory left", signal)
	}
	if err != nil {
		return seen, fmt.Errorf("the module cannot be compared with the operator's code: %w\n%s", cmp.Or(testErr, err), shortened(out))
	}
	var found struct{ Pairs []Pair }
	if err := json.Unmarshal(text, &found); err != nil {
		return seen, err
	}
	seen.Pairs = found.Pairs
	differing := 0
	for _, p := range seen.Pairs {
		differing += p.Differing
	}
	if testErr != nil && differing == 0 {
		return seen, fmt.Errorf("the module cannot be compared with the operator's code: %w\n%s", testErr, shortened(out))
	}
	text, err = os.ReadFile(profile)
	if err != nil {
		return seen, fmt.Errorf("the comparison wrote no coverage: %w", err)
	}
	blocks, err := parseProfile(text)
	if err != nil {
		return seen, err
	}
	covered := q.measure(blocks)
	seen.Coverage = &covered
	return seen, c.Try.measure(ctx, c.Module, seen.Pairs)
}

// Pair is one direction. The SDK's package adopttest writes it, apart from the module's times. Times
// are nanoseconds of CPU for one object.
type Pair struct {
	From          string          `json:"from"`
	To            string          `json:"to"`
	Samples       int             `json:"samples"`       // the operator's own objects
	FailedSamples []Text          `json:"failedSamples"` // that the operator's code refuses, or at which it panics
	Given         int             `json:"given"`         // of the compared: samples, and objects made from the operator's definition
	Compared      int             `json:"compared"`
	Refused       int             `json:"refused"`  // of the compared
	Panicked      int             `json:"panicked"` // not compared
	Differing     int             `json:"differing"`
	Unstable      int             `json:"unstable"` // the operator's own results differ from each other
	UnstableAt    []string        `json:"unstableAt"`
	Unseen        int             `json:"unseen"` // results of the operator's code that depend on metadata which no module sees
	UnseenAt      []string        `json:"unseenAt"`
	Differences   []Difference    `json:"differences"` // some
	Refusals      []Text          `json:"refusals"`
	Panics        []Text          `json:"panics"`
	NeverAccepted []Unaccepted    `json:"neverAccepted"`
	NeverCompared []string        `json:"neverCompared"`
	Sample        json.RawMessage `json:"sample,omitempty"` // the object that is timed; not in the file
	Native        time.Duration   `json:"native"`           // by itself in a review
	Module        time.Duration   `json:"module"`
	NativeInAList time.Duration   `json:"nativeInAList"` // one of 1,000
	ModuleInAList time.Duration   `json:"moduleInAList"`
}

// Difference is a place where the module's result is not the operator's.
type Difference struct {
	Path   string `json:"path"`
	Module string `json:"module"`
	Want   string `json:"want"`
	Object string `json:"object"`
}

// Text is the text of an error with the number of its objects.
type Text struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
}

// Unaccepted is a member that only refused objects have.
type Unaccepted struct {
	Path  string `json:"path"`
	Text  string `json:"text"` // of a refusal
	Tries int    `json:"tries"`
}

// Try loads a module as a gateway does, and measures it on the objects of the pairs. It fills in
// their times, and returns the time of CPU that loading takes.
type Try func(ctx context.Context, module string, pairs []Measurement) (load time.Duration, err error)

// Measurement is one direction that Try measures.
type Measurement struct {
	From, To     string
	Object       []byte
	One, InAList time.Duration // of CPU, for one object: by itself, and in a list of 1,000
}

// Runs and ListRuns are how often the time of an object by itself, and of one in a list, is measured. The
// least counts: other work on the machine makes the others longer. A run with lists takes as long as
// ten of the others.
const Runs, ListRuns = 10, 3

// measure measures the module on the object that was timed with the operator's code.
func (try Try) measure(ctx context.Context, module string, pairs []Pair) error {
	var measured []Measurement
	for _, p := range pairs {
		measured = append(measured, Measurement{From: p.From, To: p.To, Object: p.Sample})
	}
	if _, err := try(ctx, module, measured); err != nil {
		return err
	}
	for i := range pairs {
		pairs[i].Module, pairs[i].ModuleInAList = measured[i].One, measured[i].InAList
	}
	return nil
}

// LargestNumber is the largest number in an object of the second comparison, which runs if the
// operator's code ran out of memory in the first. A list with as many elements fits any machine.
const LargestNumber = 1000

var (
	fatalLine = regexp.MustCompile(`(?m)^fatal error: (.*)$`)
	// signalLine is go test's for a process that a signal ended.
	signalLine = regexp.MustCompile(`(?m)^signal: (\w+)`)
	frameLine  = regexp.MustCompile(`(?m)^(\S+)\([^\n]*\)\n\t(\S+\.go:\d+)`)
)

// crash returns what ended the process of the comparison and where in the operator's code, from the
// output of go test; "" if nothing did that a program cannot recover from.
func crash(out string) string {
	fatal := fatalLine.FindStringSubmatch(out)
	if fatal == nil {
		return ""
	}
	for _, frame := range frameLine.FindAllStringSubmatch(out, -1) {
		function, file := path.Base(frame[1]), frame[2]
		if strings.HasPrefix(frame[1], "runtime.") || strings.Contains(frame[1], "adopttest.") {
			continue
		}
		if i := strings.Index(file, "/pkg/mod/"); i >= 0 {
			file = file[i+len("/pkg/mod/"):]
		}
		return fmt.Sprintf("%s, in %s (%s)", fatal[1], function, file)
	}
	return fatal[1]
}

// killed returns the signal that ended the process of the comparison; "" if none did.
func killed(out string) string {
	if signal := signalLine.FindStringSubmatch(out); signal != nil {
		return signal[1]
	}
	return ""
}

// shortened returns the begin and the end of an output, which has the cause.
func shortened(out string) string {
	const most = 8 << 10
	if len(out) <= most {
		return out
	}
	return out[:most/2] + "\n…\n" + out[len(out)-most/2:]
}

// outOfMemory reports whether a crash is one that objects with smaller numbers may not cause.
func outOfMemory(crash string) bool {
	return strings.Contains(crash, "out of memory") || strings.Contains(crash, "cannot allocate memory")
}
