// Package adopt makes converter modules of the Go types that an operator has: it copies the
// declarations that the conversions need into a small project, builds that, and compares the module
// with the operator's own code.
//
// A run passes packages of which none imports a later one: operator loads packages, discover finds the
// kinds and their conversions, extract copies declarations (with code, calls and state, which read a
// program and copy nothing), and project writes and builds the module. compare runs the module and
// the operator's code on the same objects, verdict judges what it saw, and report tells people.
package adopt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/compare"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/report"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/verdict"
)

// Run adopts the kinds that the packages convert.
func Run(ctx context.Context, o Options) error {
	w, p, temporary, err := o.load(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	around, err := project.LookAround(ctx, w.Dir)
	if err != nil {
		return err
	}
	kinds, notes := discover.Find(p)
	if o.Kind != "" {
		kinds = slices.DeleteFunc(kinds, func(k discover.Resource) bool { return o.Kind != k.Name && o.Kind != k.Name+"."+k.Group })
		if len(kinds) > 0 {
			notes = nil
		}
	}
	for _, n := range notes {
		fmt.Fprintf(o.Out, "note: %s\n", n)
	}
	if len(kinds) == 0 {
		return fmt.Errorf("the packages %s convert no kind%s: name the packages of all versions, those with Hub, ConvertTo and ConvertFrom, with calls of NewSpokeConverter, or with conversion-gen's functions%s", strings.Join(w.Patterns, " "), ofName(o.Kind), discover.Neighbours(p)+firstOf(notes))
	}
	if !o.NoRun && !o.Check {
		fmt.Fprintln(o.Out, "adopt compiles the operator's code and runs it on this machine, for the comparison: initialisation, conversions, and the Go code of all dependencies (--no-run only builds)")
	}
	var results []*verdict.Result
	for _, k := range kinds {
		k.SetUpContext = p.SetUp.Has(operator.SetUpContext)
		dir := o.Dir
		if dir == "" {
			dir = "crosswalk-" + strings.ToLower(k.Name)
		} else if len(kinds) > 1 {
			dir = filepath.Join(dir, strings.ToLower(k.Name))
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return err
		}
		r := &verdict.Result{Kind: k.Name, Group: k.Group}
		err := o.adopt(ctx, p, k, around, dir, hasVersion(o.Packages[0]), r)
		if err != nil && (len(kinds) == 1 || ctx.Err() != nil) {
			return fmt.Errorf("%s.%s: %w", k.Name, k.Group, err)
		}
		if err != nil {
			fmt.Fprintf(o.Out, "%s.%s: %v\n", k.Name, k.Group, err)
			reason, _, _ := strings.Cut(err.Error(), "\n")
			r.Verdict, r.Reasons = verdict.NotBuilt, []string{reason}
		}
		if !o.Check {
			results = append(results, r)
		}
	}
	return report.Summary(o.Out, results)
}

// firstOf repeats the first note in an error, which people read before the notes above it.
func firstOf(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return "; " + notes[0]
}

func hasVersion(pattern string) bool { return strings.Contains(pattern, "@") }

func ofName(kind string) string {
	if kind == "" {
		return ""
	}
	return " " + kind
}

// adopt makes the project of one kind.
func (o Options) adopt(ctx context.Context, p *operator.Program, k discover.Resource, around project.Surroundings, dir string, temporary bool, result *verdict.Result) error {
	accepted, err := verdict.ReadAccepted(dir)
	if err != nil {
		return err
	}
	if k.Problem != nil && (len(k.Wrapped) == 0 || !accepted.Has("functions", "-")) {
		return k.Problem
	}
	var versions []string
	for _, v := range k.Versions() {
		versions = append(versions, v.APIVersion)
	}
	r := report.New(o.Out)
	r.Line("%s.%s: the hub is %s; converted to and from it: %s", k.Name, k.Group, versions[0], strings.Join(versions[1:], ", "))
	if k.HubAt != "" {
		r.Line("the operator names this hub for knative's webhook in %s", gocmd.ShortPath(k.HubAt))
	}
	if k.FunctionsOnly() {
		r.Line("functions, not methods: the kind is converted by conversion-gen's functions; steps of the operator's webhook beside them are not in the module")
	}
	x, metadata, err := extract.Kind(p, k)
	if err != nil {
		return err
	}
	lock, err := o.lock(x, k)
	if err != nil {
		return err
	}
	if o.Check {
		return check(dir, lock)
	}
	files, err := x.Files()
	if err != nil {
		return err
	}
	copied := 0
	for _, f := range files {
		copied += f.Bytes
	}
	r.Line("copied %d of %d declarations, %d KB", len(x.Reached), len(x.Units), copied>>10)
	r.Stubs(x)
	if x.Kept != "" {
		r.Line("conversions use encoding/json itself, because %s", x.Kept)
	}
	r.Metadata(metadata)
	found, err := x.State(k)
	if err != nil {
		return err
	}
	result.Accepted = accepted.Lines
	result.State, result.Unsearched = r.State(found, accepted, gocmd.ShortPath(filepath.Join(dir, lockFile)))
	if err := project.WriteSetUp(p, dir); err != nil {
		return err
	}

	if err := project.WriteVendor(dir, files); err != nil {
		return err
	}
	all, err := around.Requirements(dir, temporary, p)
	if err != nil {
		return err
	}
	path, err := project.ProjectPath(around.Mod.Module.Path, k)
	if err != nil {
		return err
	}
	if err := project.WriteModule(dir, path, around, all, p, files); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, lockFile)); err != nil { // it marks projects of the command from the begin
		if err := gocmd.WriteFile(filepath.Join(dir, lockFile), nil); err != nil {
			return err
		}
	}
	attempt, err := os.MkdirTemp(dir, ".crosswalk-adopt-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(attempt) }()
	made := project.Project{Resource: k, Module: k.File(), Tags: project.NoJSON, Metadata: metadata, Command: o.command(k), SetUp: p.SetUp.Has(operator.SetUpName), Imports: x.Effectful(), Exact: project.IsExact(k, p)}
	file := filepath.Join(attempt, made.Module)
	load, err := o.buildAndTry(ctx, r, dir, file, &made)
	if err != nil {
		return err
	}
	result.Load = load.Seconds()
	size, err := project.Compress(ctx, file)
	if err != nil {
		return err
	}
	result.Sizes = size
	r.Module(made.Module, size, load)
	if o.NoRun {
		result.NotCompared()
	} else {
		result.Comparison, err = compare.Run(ctx, compare.Config{
			Program: p, Resource: k, Extraction: x, Dir: dir, Module: file,
			Crosswalk: o.Program, Sources: o.Sources, Try: o.Try, Note: r.Line,
		})
		if err != nil {
			return err
		}
		r.Comparison(result.Comparison)
		result.Judge(accepted)
	}
	if err := place(r, attempt, dir, accepted.Append(lock), result.Verdict); err != nil {
		return err
	}
	r.Verdict(result)
	if err := result.Write(dir); err != nil {
		return err
	}
	return r.Write(dir)
}

// place puts the module of a run into its project, with adopt.lock, which has the checksums of its source. One
// that differs from the operator's code replaces no earlier one.
func place(r *report.Report, attempt, dir string, lock []byte, v verdict.Verdict) error {
	earlier, err := filepath.Glob(filepath.Join(dir, "*.wasm*"))
	if err != nil {
		return err
	}
	if v == verdict.NotEqual && len(earlier) > 0 {
		r.Line("the earlier module and its adopt.lock stay, because the new module is not equal")
		return nil
	}
	made, err := os.ReadDir(attempt)
	if err != nil {
		return err
	}
	for _, e := range made {
		file := filepath.Join(dir, e.Name())
		if err := os.Rename(filepath.Join(attempt, e.Name()), file); err != nil {
			return err
		}
		earlier = slices.DeleteFunc(earlier, func(old string) bool { return old == file })
	}
	for _, old := range earlier {
		if err := os.Remove(old); err != nil {
			return err
		}
	}
	return gocmd.WriteFile(filepath.Join(dir, lockFile), lock)
}

// command is the line that makes the project again.
func (o Options) command(k discover.Resource) string {
	line := "adopt " + strings.Join(o.Packages, " ") + " --kind " + k.Name
	if o.Dir != "" {
		line += " --dir " + o.Dir
	}
	if o.SetUp != "" {
		line += " --set-up " + o.SetUp
	}
	return line
}

// buildAndTry builds the module without encoding/json, and with it if a type needs it; without a run
// with it, because loading is the way to find out.
func (o Options) buildAndTry(ctx context.Context, r *report.Report, dir, file string, made *project.Project) (load time.Duration, err error) {
	if o.NoRun {
		made.Tags = ""
	}
	for {
		if err := project.WriteProject(dir, *made); err != nil {
			return 0, err
		}
		if err := project.Build(ctx, dir, file, made.Tags); err != nil {
			return 0, err
		}
		if !o.NoRun {
			load, err = o.Try(ctx, file, nil)
		}
		if err == nil {
			return load, nil
		}
		if made.Tags == "" || !strings.Contains(err.Error(), "needs encoding/json") {
			return load, err
		}
		r.Line("the module needs encoding/json: %v", err)
		made.Tags = ""
	}
}
