package verify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

func checkCommand() *cobra.Command {
	var o checkOptions
	c := &cobra.Command{
		Use: "check [flags] MODULE|DIR...", Short: "check whether a gateway would serve modules",
		Long: `Runs all checks that a gateway makes before it serves a module: name, pin, scan, imports and exports, compilation in a child process under
limits, a first call, the golden cases of the sidecar, and the comparison of compiled and interpreted code. It exits with 1 if a gateway
would not serve one of the modules. It also exits with 1, with the line DOUBTFUL, if the module declares a field that the definition does not
have, or states a proof for other schemas.

With --crd, it also generates objects and prints a line for each value that the module loses and its sidecar does not acknowledge, and for
similar faults (crosswalk fuzz shows the objects). It exits with 1 if there is one.

crosswalk test makes all other tests, too.
`,
		Example: `crosswalk check --crd crd.yaml CronTab.stable.example.com_v1_v2.wasm
crosswalk check -o junit modules > check.xml`,
		Args:              command.SomeArgs("module"),
		ValidArgsFunction: command.CompleteModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.during < 0 {
				return command.Usagef("--for must not be negative")
			}
			return reported(command.StreamsOf(cmd), *o.format, args[0], func(s command.Streams) error { return o.run(cmd.Context(), s, args) })
		},
	}
	c.Flags().StringVar(&o.crd, "crd", "", "`FILE` with the definition (default: beside the modules or in their project)")
	c.Flags().DurationVar(&o.during, "for", lossTime, "`TIME` after which to stop looking for losses of generated objects, with --crd; 0 for none")
	o.format = output.Flag(c.Flags(), checkFormats...)
	o.how.Declare(c.Flags())
	command.CompleteFlag(c, "crd", command.CompleteDefinitions)
	command.CompleteFlag(c, "output", command.CompleteFormats(checkFormats...))
	return c
}

var checkFormats = []output.Format{output.Table, output.JSON, output.YAML, output.JUnit, output.GitHub, output.SARIF, output.Name}

type checkOptions struct {
	crd    string
	during time.Duration
	format *output.Format
	how    modules.Limits
}

func (o *checkOptions) run(ctx context.Context, s command.Streams, args []string) error {
	config, err := o.how.Config(s)
	if err != nil {
		return err
	}
	config.Vet = true
	from, err := readSources(s, args, nil, o.crd)
	if err != nil {
		return err
	}
	report := output.NewReport(s.Out, *o.format, true)
	for _, file := range from.files {
		d, err := from.definition(file)
		if err == nil {
			err = o.one(ctx, s, file, config, d, report)
		}
		if err != nil {
			return ended(report, *o.format, file, err)
		}
	}
	for _, err := range modules.Misnamed(args) {
		if *o.format == output.Table {
			fmt.Fprintf(s.Out, "%s%v\n", output.Paint(s.Out)(output.Red, fmt.Sprintf("%-9s", "IGNORED")), err)
		}
		r := output.Result{Check: "a gateway takes it for a module", Verdict: output.Fail, Why: err.Error(), Quiet: *o.format == output.Table}
		var refused modules.RefusedError
		if errors.As(err, &refused) {
			r.File = refused.File
		}
		report.Add(r)
	}
	if *o.format != output.Name && *o.format != output.Table {
		if err := report.Close(); err != nil {
			return err
		}
	}
	if report.Failed() {
		return command.ErrFound
	}
	return nil
}

// one makes a gateway's checks of one module. It writes
// the lines of a table itself, one for each module, and the doubts.
func (o *checkOptions) one(ctx context.Context, s command.Streams, file string, config runtime.OpenConfig, d definition.File, report *output.Report) error {
	paint := output.Paint(s.Out)
	line := func(colour output.Colour, verdict, format string, args ...any) {
		if *o.format == output.Table {
			fmt.Fprintf(s.Out, "%s%s\n", paint(colour, fmt.Sprintf("%-9s", verdict)), fmt.Sprintf(format, args...))
		}
	}
	add := func(r output.Result) {
		if *o.format == output.Table {
			r.Quiet = true
		}
		r.File = file
		report.Add(r)
	}
	start := time.Now()
	m, err := open(ctx, s, file, config)
	took := time.Since(start)
	if err != nil {
		line(output.Red, "REFUSED", "%v", err)
		add(output.Result{Module: filepath.Base(file), Check: "a gateway serves it", Verdict: output.Fail, Why: err.Error(), Took: took})
		return nil
	}
	defer m.Close()
	summary := strings.Join(edgeNames(m), ", ") + "; " + caseCount(m)
	if proof := m.Description().Proof.String(); proof != "" {
		summary += "; states a proof " + proof
	}
	both := func(colour output.Colour, verdict, text string, r output.Result) {
		line(colour, verdict, "%s: %s", m.Name(), text)
		r.Module = m.Name()
		add(r)
	}
	both(output.Green, "serves", fmt.Sprintf("%s; loaded in %v", summary, took.Round(time.Millisecond)), output.Result{Check: "a gateway serves it", Verdict: output.Pass, Why: summary, Took: took})
	for _, doubt := range doubtful(m, d) {
		both(output.Yellow, "DOUBTFUL", doubt, output.Result{Check: "its declared fields exist", Verdict: output.Fail, Why: doubt})
	}
	if doubt := otherProof(m, d); doubt != "" {
		both(output.Yellow, "DOUBTFUL", doubt, output.Result{Check: "its proof is for the schemas", Verdict: output.Fail, Why: doubt})
	}
	if *o.format == output.Name {
		fmt.Fprintln(s.Out, file)
	}
	if o.crd == "" || o.during == 0 {
		return nil
	}
	found, err := losses(ctx, s, []string{file}, config, d, nil, o.during)
	if err != nil {
		return fmt.Errorf("looking for losses of %s: %w", m.Name(), err)
	}
	for _, r := range findings([]string{file}, found, "", nil) {
		switch r.Verdict {
		case output.Fail:
			both(output.Red, "FINDING", r.Check, r)
		case output.Sees:
			both(output.Green, "sees", r.Check, r)
		default:
			both(output.Yellow, string(r.Verdict), r.Check, r)
		}
	}
	return nil
}
