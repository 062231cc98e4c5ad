package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/compare"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/verdict"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/generate"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/review"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

func adoptCommand() *cobra.Command {
	var o adopt.Options
	var files *[]string
	c := &cobra.Command{
		Use: "adopt [flags] PACKAGE...", Short: "build a module from an operator's conversions in Go",
		Long: `Builds modules from an operator's conversions in Go (docs/author/adopt.md): controller-runtime's converters (NewSpokeConverter) and
methods (Hub, ConvertTo, ConvertFrom), methods with a context (knative's, or of unstructured objects), and conversion-gen's functions. For
each kind it copies the needed declarations to a project, builds the module, and compares it with the operator's code. Run it in the
operator's repository with the packages of all versions, or name packages as PATH@VERSION. It needs Go.

The comparison runs the operator's code and its dependencies on this machine, with your rights; --no-run extracts and builds only. The
command exits with 0 if the verdict is equal, with 3 if it is equal unless an operator's main, which was not found, sets a variable, and
otherwise with 1. Lines in adopt.lock accept what you have checked.
`,
		Example:     "crosswalk adopt ./api/v1 ./api/v2 --dir converter",
		Annotations: map[string]string{command.ExampleTest: "TestRun in cmd/crosswalk/adopt"},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 0 {
				return command.Usagef("name the packages with the conversions, such as ./api/v1 ./api/v2")
			}
			if o.Program, err = os.Executable(); err != nil {
				return err
			}
			o.Packages, o.Out, o.Try = args, cmd.OutOrStdout(), tryModule
			o.Sources.Objects, o.Sources.Generate = objectsIn, generateObjects
			if len(*files) > 0 {
				objects, err := input.Read(cmd.InOrStdin(), *files)
				if err != nil {
					return err
				}
				o.Sources.Given = input.Texts(objects)
			}
			ctx, stop := command.BoundMemory(cmd.Context(), cmd.ErrOrStderr(), "the packages and their dependencies are very large")
			defer stop()
			err = adopt.Run(ctx, o)
			tooMuch := command.MemoryError{}
			switch {
			case err != nil && errors.As(context.Cause(ctx), &tooMuch):
				return tooMuch
			case err != nil && cmd.Context().Err() != nil:
				return errors.New("interrupted")
			case errors.Is(err, verdict.ErrNotSearched):
				return command.Finding{Err: err, Code: command.ExitOpen}
			case errors.Is(err, verdict.ErrNotEqual) || errors.Is(err, adopt.ErrChanged):
				return command.Finding{Err: err}
			}
			return err
		},
	}
	flags := c.Flags()
	files = input.Flag(flags, "`FILE`, directory or - with objects to compare beside the operator's samples; repeatable")
	flags.StringVar(&o.Kind, "kind", "", "adopt this `KIND` only, such as CronTab or CronTab.stable.example.com")
	flags.StringVar(&o.Dir, "dir", "", "`DIRECTORY` to write to (default: crosswalk- and the kind); several kinds each get a directory in it")
	flags.StringVar(&o.SetUp, "set-up", "", "Go `FILE` of package main whose func SetUp() does what the operator's main does before it converts")
	flags.BoolVar(&o.Check, "check", false, "write nothing; fail if the operator's code has changed since the project was written")
	flags.BoolVar(&o.NoRun, "no-run", false, "extract and build only: run neither the module nor the operator's code, and compare nothing")
	return c
}

// objectsIn returns the objects in a file of an operator's repository; none if it is a template or
// has other things.
func objectsIn(text []byte) (objects []json.RawMessage) {
	found, err := input.Parse("file", text)
	if err != nil {
		return nil
	}
	for _, o := range found {
		objects = append(objects, o.JSON)
	}
	return objects
}

// generateObjects returns up to n objects of a version that an API server with the definition would
// store; none if the definition cannot be read.
func generateObjects(ctx context.Context, text []byte, apiVersion string, n int, given []json.RawMessage) (objects []json.RawMessage) {
	found, err := definition.Read(text)
	if err != nil || len(found) == 0 {
		return nil
	}
	server, err := apiserver.New(found[0].CRD)
	if err != nil {
		return nil
	}
	var samples []map[string]any
	for _, text := range given {
		var sample map[string]any
		if json.Unmarshal(text, &sample) == nil {
			samples = append(samples, sample)
		}
	}
	for _, v := range server.Versions {
		if v.APIVersion != apiVersion {
			continue
		}
		g := generate.New(ctx, v, 1, samples...)
		for len(objects) < n {
			object := g.Next(ctx)
			if object == nil {
				break
			}
			text, err := json.Marshal(object)
			if err != nil {
				break
			}
			objects = append(objects, text)
		}
	}
	return objects
}

// tryModule loads a module with a gateway's default limits, and measures conversions.
func tryModule(ctx context.Context, file string, pairs []compare.Measurement) (load time.Duration, err error) {
	if pairs == nil {
		collect() // for the time of loading
	}
	start := cpuTime()
	config := runtime.OpenConfig{}
	if pairs != nil {
		config.Limits.CallTime = time.Minute // a busy machine must not fail the module
	}
	m, err := modules.Open(ctx, file, config)
	if err != nil {
		return 0, err
	}
	defer m.Close()
	load = cpuTime() - start
	set := modules.Set{m}
	// An object whose result the gateway rejects, such as one with an invalid label, has no
	// figures. Lists come last: their instance keeps more memory, which is reset after each review.
	collect()
	for i := range pairs {
		if p := &pairs[i]; len(p.Object) > 0 {
			if p.One, err = measure(ctx, set, p, compare.Runs, 1, 100); err != nil {
				p.One = 0
			}
		}
	}
	collect()
	for i := range pairs {
		if p := &pairs[i]; p.One > 0 {
			if p.InAList, err = measure(ctx, set, p, compare.ListRuns, 1000, 1); err != nil {
				p.One = 0
			}
		}
	}
	return load, nil
}

// measure returns the CPU time for one object of a review with some: the least of some runs of so
// many reviews, which includes the garbage that they make.
func measure(ctx context.Context, set modules.Set, p *compare.Measurement, runs, objects, reviews int) (best time.Duration, err error) {
	list := make([]json.RawMessage, objects)
	for i := range list {
		list[i] = p.Object
	}
	body := review.Request(p.To, list...)
	converter, err := host.NewConverter(host.ConverterConfig{Modules: host.Static(set.Routes())})
	if err != nil {
		return 0, err
	}
	for range runs {
		start := cpuTime()
		for range reviews {
			answer, outcome, err := converter.Review(ctx, body)
			switch {
			case err != nil:
				return 0, err
			case outcome.Failure != "":
				return 0, fmt.Errorf("%s to %s: %s", p.From, p.To, outcome.Message)
			}
			converter.Recycle(answer)
		}
		if took := (cpuTime() - start) / time.Duration(objects*reviews); best == 0 || took < best {
			best = took
		}
	}
	return best, nil
}

// collect makes room in the heap, which still has the garbage of the extraction and of the compiler.
// Without it, results would touch memory that is new to the process, and a page fault costs as much
// as a conversion; a gateway that converts reuses its memory. A collection takes seconds, because the
// operator's syntax tree is alive, and its room suffices for all pairs.
func collect() { goruntime.GC() }
