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
	"path/filepath"

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
	Dir        string            // of the project, with its test
	Module     string            // the file
	Moved      map[string]string // packages that the test has a copy of: the copy's import path
	Crosswalk  string            // the program that the test runs
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
	q.moved = c.Moved
	written, profile := filepath.Join(c.Dir, ".report.json"), filepath.Join(c.Dir, ".coverage")
	for _, name := range []string{written, profile} {
		defer func() { _ = os.Remove(name) }()
		_ = os.Remove(name)
	}
	out, testErr := project.Test(ctx, c.Dir, c.Crosswalk, written, q.packages(), profile)
	fatal := crash(out)
	if _, err := os.Stat(written); err != nil && outOfMemory(fatal) {
		seen.Crash = fatal
		c.Note("objects with large numbers end the process of the operator's code: %s; comparing objects with numbers up to %d", seen.Crash, LargestNumber)
		out, testErr = project.Test(ctx, c.Dir, c.Crosswalk, written, q.packages(), profile, fmt.Sprintf("CROSSWALK_ADOPT_LARGEST=%d", LargestNumber))
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
