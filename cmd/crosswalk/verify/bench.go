package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/bench"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/bytesize"
	"github.com/crosswalk-gateway/crosswalk/internal/review"
)

func benchCommand() *cobra.Command {
	var o benchOptions
	c := &cobra.Command{
		Use: "bench [flags] MODULE|DIR...", Short: "measure how long conversions take",
		Long: `Converts objects between all versions as a gateway does, without network and TLS, and shows for each pair: the time of a review of one
object (median and 99th percentile), the time for an object in a list of 1,000, fuel and its part of the limit, the part of the API server's
timeout of 30 s that a list of 10,000 objects takes, and the memory of an idle and a converting instance. It takes the objects of -f and of
the golden cases and, with a definition, generates more.
`,
		Example: `crosswalk bench -f objects.yaml --for 200ms modules
crosswalk bench --crd crd.yaml --for 200ms -o json modules > before.json`,
		Args:              command.SomeArgs("module"),
		ValidArgsFunction: command.CompleteModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), command.StreamsOf(cmd), args)
		},
	}
	o.files = input.Flag(c.Flags(), "`FILE`, directory or - with objects to convert, and with the definition; repeatable")
	c.Flags().StringVar(&o.crd, "crd", "", "`FILE` with the definition (default: beside the modules or in their project)")
	c.Flags().DurationVar(&o.during, "for", time.Second, "minimum `TIME` of each measurement; there are two for each pair of versions")
	o.format = output.Flag(c.Flags(), benchFormats...)
	o.how.Declare(c.Flags())
	command.CompleteFlag(c, "crd", command.CompleteDefinitions)
	command.CompleteFlag(c, "output", command.CompleteFormats(benchFormats...))
	return c
}

var benchFormats = []output.Format{output.Table, output.JSON, output.YAML}

type benchOptions struct {
	files  *[]string
	crd    string
	during time.Duration
	format *output.Format
	how    modules.Limits
}

// benchObjects is how many objects are generated for a version.
const benchObjects = 100

func (o *benchOptions) run(ctx context.Context, s command.Streams, args []string) error {
	if o.during < 0 {
		return command.Usagef("--for must not be negative")
	}
	from, err := readSources(s, args, *o.files, o.crd)
	if err != nil {
		return err
	}
	modules.SayMisnamed(s, args)
	o.how.Quiet = true
	config, err := o.how.Config(s)
	if err != nil {
		return err
	}
	set, _, err := modules.OpenAll(ctx, from.files, modules.Cached(config))
	if err != nil {
		return err
	}
	defer set.Close()
	results := []*bench.Result{}
	say, end := output.Progress(s.Err)
	for _, kind := range set.Routes().Kinds() {
		d, err := from.definition(from.of(kind)...)
		if err != nil {
			return err
		}
		more, err := o.kind(ctx, say, kind, set, d, from.objects)
		end()
		if err != nil {
			return err
		}
		results = append(results, more...)
	}
	if len(results) == 0 {
		return fmt.Errorf("nothing was measured: name objects that the modules convert with -f, or the definition with --crd")
	}
	if *o.format != output.Table {
		return output.Write(s.Out, *o.format, benchReport{results})
	}
	return writeBench(s, results)
}

// benchReport is the JSON of a run.
type benchReport struct {
	Results []*bench.Result `json:"results"`
}

// kind measures all pairs of versions of a kind.
func (o *benchOptions) kind(ctx context.Context, say func(string, ...any), name string, set modules.Set, d definition.File, given []json.RawMessage) (results []*bench.Result, err error) {
	kind, group, _ := strings.Cut(name, ".")
	routes := set.Routes()
	converter, err := host.NewConverter(host.ConverterConfig{Modules: host.Static(routes)})
	if err != nil {
		return nil, err
	}
	for _, from := range routes.Versions(group, kind) {
		objects, err := sampleObjects(ctx, kind, group, from, d, set, given, benchObjects, 1)
		if err != nil {
			return nil, err
		}
		for _, to := range routes.Versions(group, kind) {
			path := routes.Path(group, kind, from, to)
			if from == to || path == nil {
				continue
			}
			convert := func(ctx context.Context, objects []json.RawMessage) error {
				answer, outcome, err := converter.Review(ctx, review.Request(group+"/"+to, objects...))
				switch {
				case err != nil:
					return err
				case outcome.Failure != "":
					return fmt.Errorf("%s (%s)", outcome.Message, outcome.Failure)
				}
				converter.Recycle(answer)
				return nil
			}
			for _, m := range set {
				m.PeakMemory() // of the pair before
			}
			say("measuring %s %s→%s", name, from, to)
			r := &bench.Result{Kind: name, From: from, To: to}
			r, err := r.Measure(ctx, convert, set.Work, set[0].Limits(), objects, o.during)
			if err != nil {
				return nil, err
			}
			if r == nil {
				continue
			}
			for _, m := range set {
				for _, e := range path {
					if e.Module == host.Module(m) {
						r.Memory += m.IdleMemory()
						r.PeakMemory += m.PeakMemory()
						break
					}
				}
			}
			results = append(results, r)
		}
	}
	return results, nil
}

func writeBench(s command.Streams, results []*bench.Result) error {
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CONVERSION\tOBJECTS\tBYTES\tP50 µs\tP99 µs\tIN A LIST µs\tFUEL\tOF ITS LIMIT\tLIST OF 10,000, OF 30 s\tMEMORY IDLE\tAT WORK")
	for _, r := range results {
		fmt.Fprintf(w, "%s %s→%s\t%d\t%d\t%.1f\t%.1f\t%.1f\t%d\t%.2f%%\t%.1f%%\t%s\t%s\n", r.Kind, r.From, r.To, r.Objects, r.Bytes,
			r.P50, r.P99, r.InList, r.Fuel, 100*r.FuelShare, 100*r.ListShare, bytesize.Format(r.Memory), bytesize.Format(r.PeakMemory))
	}
	return w.Flush()
}
