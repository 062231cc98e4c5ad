package verify

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/conformance"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

func conformanceCommand() *cobra.Command {
	var o conformanceOptions
	c := &cobra.Command{
		Use: "conformance [flags] MODULE|DIR...", Short: "test the duties of every converter",
		Long: `Tests every conversion of a module: frames, an empty batch, ten thousand objects in one call, refusals, text, numbers, fragments as
server-side apply sends them, large and deep objects, reuse. The tests derive their objects from objects that the module converts: those
of the sidecar's golden cases, and those of -f.

A note reports behaviour that is allowed but that the author should know. The command exits with 1 if a check fails.
`,
		Example:           "crosswalk conformance -f objects.yaml CronTab.stable.example.com_v1_v2.wasm",
		Args:              command.SomeArgs("module"),
		ValidArgsFunction: command.CompleteModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), command.StreamsOf(cmd), args)
		},
	}
	o.files = input.Flag(c.Flags(), "`FILE`, directory or - with objects that the module converts; repeatable")
	o.format = output.Flag(c.Flags(), output.ReportFormats...)
	o.how.Declare(c.Flags())
	command.CompleteFlag(c, "output", command.CompleteFormats(output.ReportFormats...))
	return c
}

type conformanceOptions struct {
	files  *[]string
	format *output.Format
	how    modules.Limits
}

func (o *conformanceOptions) run(ctx context.Context, s command.Streams, args []string) error {
	config, err := o.how.Config(s)
	if err != nil {
		return err
	}
	config = modules.Cached(config)
	files, err := modules.Files(args)
	if err != nil {
		return err
	}
	given, err := input.Read(s.In, *o.files)
	if err != nil {
		return err
	}
	if err := modules.CheckGiven(files, input.Texts(given)); err != nil {
		return err
	}
	report := output.NewReport(s.Out, *o.format, true)
	for _, path := range files {
		if err := conform(ctx, path, config, input.Texts(given), report); err != nil {
			return err
		}
	}
	if err := report.Close(); err != nil {
		return err
	}
	if report.Failed() {
		return command.ErrFound
	}
	return nil
}

// conform runs the checks of conformance on one module. Each check starts with a fresh one.
func conform(ctx context.Context, path string, config runtime.OpenConfig, objects []json.RawMessage, report *output.Report) error {
	config.Limits = conformance.Limits(config.Limits)
	open := func(ctx context.Context) (*module.Module, error) { return modules.Open(ctx, path, config) }
	start := time.Now()
	return conformance.Run(ctx, open, objects, func(r conformance.Result) {
		report.Add(output.Result{Module: filepath.Base(path), Edge: r.Edge, Check: r.Check, Verdict: output.Verdict(r.Verdict), Why: r.Why, Took: time.Since(start)})
		start = time.Now()
	})
}
