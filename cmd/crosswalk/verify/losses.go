package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// What test and check look at by default. Objects decide, so that a run on a busy machine has the verdict of
// one on a quiet machine, or says that its time was over. Most losses show with the first hundred objects, and a
// large schema has more places for them; beyond maxLossObjects, crosswalk fuzz is the tool.
const (
	lossTime       = time.Minute
	minLossObjects = 1000
	maxLossObjects = 2000
)

// open opens a module as [modules.Open] does, and says so on a terminal: a module of some MB takes seconds.
func open(ctx context.Context, s command.Streams, file string, config runtime.OpenConfig) (*module.Module, error) {
	say, end := output.Progress(s.Err)
	defer end()
	say("loading %s", file)
	return modules.Open(ctx, file, config)
}

// losses looks for losses of the modules of one kind, at most for a time. The modules may fail their golden
// cases.
func losses(ctx context.Context, s command.Streams, files []string, config runtime.OpenConfig, d definition.File, given []json.RawMessage, during time.Duration) (*fuzz.Report, error) {
	config = modules.Cached(config)
	config.Limits, config.Logger, config.SkipCases = fuzz.Limits(config.Limits), nil, true
	set, _, err := modules.OpenAll(ctx, files, config)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	show, end := progress(s, d.Kind())
	defer end()
	return fuzz.Run(ctx, fuzz.Config{CRD: d.CRD, Progress: show, Modules: fuzz.Modules(set), Given: given, Seed: 1, Objects: min(minLossObjects+apiserver.CountSchemas(d.CRD), maxLossObjects), For: during, Measure: true})
}

// adviseLossy says how to accept a finding, with the first one as the example, and all those about
// empty values.
func adviseLossy(w io.Writer, found []fuzz.Finding) {
	if len(found) == 0 {
		return
	}
	fmt.Fprint(w, "To accept a finding that is meant, list it in the sidecar, or in the file of rules:\n  lossy:\n")
	others, empty := fuzz.Fold(found)
	if len(others) > 0 {
		f := others[0]
		fmt.Fprintf(w, "  - {from: %s, to: %s, path: %q, reason: \"…\"}\n", f.From, f.To, f.Path)
	}
	for _, e := range empty {
		fmt.Fprintf(w, "  - {from: %s, to: %s, path: \".*\", class: %s, reason: \"…\"}\n", e.From, e.To, fuzz.ClassEmpty)
	}
}

// wholeAgain is the check that looks for losses.
const wholeAgain = "generated objects come back whole"

// findings returns a result for each finding of a report, and for what a reader should know beside them. Findings
// about empty values are one result for each direction. passed is the check that passes without findings; without
// it there is no such result. again returns the command that repeats a run until so many objects; nil if there is none.
func findings(files []string, r *fuzz.Report, passed string, again func(objects int) string) (all []output.Result) {
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = filepath.Base(file)
	}
	add := func(check string, verdict output.Verdict, why ...string) *output.Result {
		why = slices.DeleteFunc(why, func(line string) bool { return line == "" })
		all = append(all, output.Result{Module: strings.Join(names, ", "), File: files[0], Check: check, Verdict: verdict, Why: strings.Join(why, "\n")})
		return &all[len(all)-1]
	}
	repeat := func(how string, objects int, more string) string {
		if again == nil {
			return ""
		}
		return how + again(objects) + more
	}
	for _, line := range fuzz.Lines(r.Measures) {
		add(line, output.Sees)
	}
	for _, line := range r.Given {
		add(line, output.Note)
	}
	others, empty := fuzz.Fold(r.Findings)
	for _, f := range others {
		object := ""
		if f.Object != nil {
			object = "object: " + f.Example()
		}
		one := add(f.Text(), output.Fail, object, repeat("repeat: ", f.Objects, ""))
		one.Key = strings.Join([]string{f.From, f.To, f.Path, f.Property}, " ")
	}
	for _, e := range empty {
		add(e.Text(), output.Fail, cmp.Or(repeat("list:   ", e.Objects, " -o json"), e.Rest()))
	}
	known, knownEmpty := fuzz.Fold(r.Known)
	for _, f := range known {
		add(f.Text(), output.Known, f.Reason)
	}
	for _, e := range knownEmpty {
		add(e.Text(), output.Known, e.Reason)
	}
	for _, u := range r.Unused {
		add(u.Text(), output.Note, u.Reason)
	}
	if r.Stopped != "" {
		add(r.Stopped, output.Note)
	}
	if r.Truncated {
		add("there are more findings; correct these first", output.Note)
	}
	switch {
	case len(r.Findings) > 0 || passed == "":
	case r.Objects == 0:
		add(passed, output.Skip, "there are no objects")
	default:
		add(passed, output.Pass, plural.Count(r.Objects, "object"))
	}
	return all
}
