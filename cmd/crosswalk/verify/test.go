package verify

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/cluster"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/conformance"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

func testCommand() *cobra.Command {
	var o testOptions
	c := &cobra.Command{
		Use: "test [flags] [MODULE|DIR...]", Short: "test modules in every way that needs no cluster",
		Long: `Tests a project's modules, in one report: whether a gateway would serve them, each golden case (docs/author/sidecar.md) with all its
differences, the schemas, the duties of every converter (docs/spec/contract.md), losses of generated objects (crosswalk fuzz), and
the limits of a ConfigMap. The duties are frames, large batches, refusals, text, numbers, fragments as server-side apply sends them, large
and deep objects, reuse, and declared fields; the golden cases and -f have the objects. DIR is the project or the directory of its modules, by default the current one.

With --live, it converts every stored object of a definition in a cluster between all its versions instead (docs/use/attach.md), and reports
the same properties as crosswalk fuzz. It writes nothing to the cluster. Several contexts are tested one after the other, in one report.
`,
		Example: `crosswalk test modules
crosswalk test --crd crd.yaml -f objects.yaml -o junit modules > test.xml
crosswalk test --update modules
crosswalk test --vectors vectors.json modules
crosswalk test --live CronTab.stable.example.com modules
crosswalk test --live CronTab.stable.example.com --contexts 'prod-*' modules`,
		Annotations:       map[string]string{command.LiveExample: "TestLive in test/e2e"},
		ValidArgsFunction: command.CompleteModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			if o.during < 0 {
				return command.Usagef("--for must not be negative")
			}
			if o.vectors != "" {
				if o.update || o.live.definition != "" || len(*o.files) > 0 {
					return command.Usagef("--vectors only writes golden cases: omit --update, --live and -f")
				}
				return o.writeVectors(cmd.Context(), command.StreamsOf(cmd), args)
			}
			return reported(command.StreamsOf(cmd), *o.format, args[0], func(s command.Streams) error {
				if o.live.definition != "" {
					return o.liveRun(cmd.Context(), s, args)
				}
				return o.run(cmd.Context(), s, args)
			})
		},
	}
	c.Flags().StringVar(&o.crd, "crd", "", "`FILE` with the definition (default: beside the modules or in their project)")
	o.files = input.Flag(c.Flags(), "`FILE`, directory or - with more objects that the modules convert, and with the definition; repeatable")
	c.Flags().BoolVar(&o.update, "update", false, "write the answers of the modules into the golden cases that differ; read the change before you keep it")
	c.Flags().StringVar(&o.vectors, "vectors", "", "test nothing, and write the golden cases of a module to `FILE`, as JSON for the native tests of the SDKs")
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "list the checks that pass, too, and the log lines of modules")
	c.Flags().DurationVar(&o.during, "for", lossTime, "`TIME` after which to stop looking for losses of generated objects, for each kind with a definition; 0 for none")
	o.format = output.Flag(c.Flags(), output.CheckFormats...)
	o.live.flags(c.Flags())
	o.how.Declare(c.Flags())
	command.CompleteFlag(c, "live", cluster.CompleteDefinitions(&o.live.cluster))
	command.CompleteFlag(c, "crd", command.CompleteDefinitions)
	command.CompleteFlag(c, "output", command.CompleteFormats(output.CheckFormats...))
	return c
}

// losses looks for losses of the modules of each kind that has a definition, and returns the
// findings. Modules of one kind form chains.
func (o *testOptions) losses(ctx context.Context, s command.Streams, projects []project, config runtime.OpenConfig, given []json.RawMessage, report *output.Report) (all []fuzz.Finding, err error) {
	kinds := map[string][]string{}
	for _, p := range projects {
		if p.d.Schemas != nil {
			kinds[p.d.Kind()] = append(kinds[p.d.Kind()], p.file)
		}
	}
	for _, p := range projects {
		if o.during == 0 {
			continue
		}
		if p.d.Schemas == nil {
			report.Add(output.Result{Module: filepath.Base(p.file), Check: wholeAgain, Verdict: output.Skip,
				Why: "objects are generated from a CustomResourceDefinition, and there is none: name it with --crd, or put a copy beside the module"})
			continue
		}
		files := kinds[p.d.Kind()]
		if files[0] != p.file {
			continue
		}
		found, err := losses(ctx, s, files, config, p.d, given, o.during)
		if err != nil {
			var f command.Finding
			if !errors.As(err, &f) && !errors.Is(err, fuzz.ErrNoRoute) {
				return nil, err
			}
			continue // a module does not load, or the definition lacks its versions, and the report says so
		}
		report.Add(findings(files, found, wholeAgain, nil)...)
		all = append(all, found.Findings...)
	}
	return all, nil
}

func (o *testOptions) run(ctx context.Context, s command.Streams, args []string) error {
	config, err := o.how.Config(s)
	if err != nil {
		return err
	}
	if !o.verbose {
		config.Logger = nil // thousands of objects are converted
	}
	projects, given, err := o.projects(s, args)
	if err != nil {
		return err
	}
	report := output.NewReport(s.Out, *o.format, o.verbose)
	for _, p := range projects {
		if err := o.one(ctx, s, p, config, given, report); err != nil {
			return ended(report, *o.format, p.file, err)
		}
	}
	found, err := o.losses(ctx, s, projects, config, given, report)
	if err != nil {
		return ended(report, *o.format, projects[0].file, err)
	}
	if err := report.Close(); err != nil {
		return err
	}
	if *o.format == output.Table {
		adviseLossy(s.Out, found)
	}
	if report.Failed() {
		return command.ErrFound
	}
	return nil
}

// one tests one module. Golden cases come first, because --update changes them.
func (o *testOptions) one(ctx context.Context, s command.Streams, p project, config runtime.OpenConfig, given []json.RawMessage, report *output.Report) error {
	name := filepath.Base(p.file)
	start := time.Now()
	put := func(r output.Result) {
		r.Module, r.Took = name, time.Since(start)
		report.Add(r)
		start = time.Now()
	}
	add := func(edge, check string, verdict output.Verdict, why string) {
		put(output.Result{File: p.file, Edge: edge, Check: check, Verdict: verdict, Why: why})
	}
	if err := checkCopy(p); err != nil {
		add("", "the sidecar is up to date", output.Fail, err.Error())
	}
	lenient := modules.Cached(config)
	lenient.SkipCases = true
	m, err := open(ctx, s, p.file, lenient)
	if err != nil {
		var f command.Finding
		if !errors.As(err, &f) {
			return err
		}
		add("", "a gateway serves it", output.Fail, err.Error())
		return nil
	}
	defer m.Close()
	at := caseAdder(p, put)
	if err := o.cases(ctx, p, m, add, at); err != nil {
		return err
	}
	vetted := config
	vetted.Vet = true
	if served, err := open(ctx, s, p.file, vetted); err != nil {
		add("", "a gateway serves it", output.Fail, err.Error())
	} else {
		served.Close()
		add("", "a gateway serves it", output.Pass, strings.Join(edgeNames(m), ", ")+"; "+caseCount(m))
	}
	fits(p.file, add)
	schemas(p, m, add, at)
	if err := conform(ctx, p.file, modules.Cached(config), given, report); err != nil {
		var f command.Finding
		if !errors.As(err, &f) {
			return err
		}
	}
	return nil
}

// conform runs the checks of conformance on one module. Each check starts with a fresh one.
func conform(ctx context.Context, path string, config runtime.OpenConfig, objects []json.RawMessage, report *output.Report) error {
	config.Limits = conformance.Limits(config.Limits)
	open := func(ctx context.Context) (*module.Module, error) { return modules.Open(ctx, path, config) }
	start := time.Now()
	return conformance.Run(ctx, open, objects, func(r output.Result) {
		r.Module, r.File, r.Took = filepath.Base(path), path, time.Since(start)
		report.Add(r)
		start = time.Now()
	})
}

type testOptions struct {
	crd, vectors    string
	files           *[]string
	update, verbose bool
	during          time.Duration
	format          *output.Format
	live            liveFlags
	how             modules.Limits
}
