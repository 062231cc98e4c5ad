package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/replace"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

func fuzzCommand() *cobra.Command {
	var o fuzzOptions
	c := &cobra.Command{
		Use: "fuzz [flags] MODULE|DIR...", Short: "find values that modules lose, with generated objects",
		Long: `Generates objects that an API server would store, converts them along every route as a gateway does, and reports values that are lost or
changed on the way to another version and back, answers that the API server would cut or reject, refusals, failures, and more
(docs/author/fuzz.md). Each finding has the smallest object that shows it and the command that repeats it. The command exits with 1 if there
is a finding that the sidecar does not acknowledge.

It also changes and converts the objects of -f and of the golden cases.
`,
		Example: `crosswalk fuzz --crd crd.yaml --objects 300 CronTab.stable.example.com_v1_v2.wasm
crosswalk fuzz -f crd.yaml -f objects.yaml --for 3s CronTab.stable.example.com_v1_v2.wasm
crosswalk fuzz --crd crd.yaml --seed 7 --objects 200 --save found -o json modules`,
		Args:              command.SomeArgs("module"),
		ValidArgsFunction: command.CompleteModules,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.timed = !cmd.Flags().Changed("objects") || cmd.Flags().Changed("for")
			return reported(command.StreamsOf(cmd), *o.format, args[0], func(s command.Streams) error { return o.run(cmd.Context(), s, args) })
		},
	}
	o.files = input.Flag(c.Flags(), "`FILE`, directory or - with objects to convert, and with the definition; repeatable")
	c.Flags().StringVar(&o.crd, "crd", "", "`FILE` with the definition (default: beside the modules or in their project)")
	c.Flags().Uint64Var(&o.seed, "seed", 1, "`NUMBER` that decides which objects are generated")
	c.Flags().DurationVar(&o.time, "for", 30*time.Second, "`TIME` after which to stop; without it, --objects alone decides")
	c.Flags().IntVar(&o.objects, "objects", 0, "`NUMBER` of objects after which to stop")
	c.Flags().StringVar(&o.save, "save", "", "`DIRECTORY` to write the findings to, as golden cases for a sidecar")
	o.format = output.Flag(c.Flags(), output.CheckFormats...)
	o.how.Declare(c.Flags())
	command.CompleteFlag(c, "crd", command.CompleteDefinitions)
	command.CompleteFlag(c, "output", command.CompleteFormats(output.CheckFormats...))
	return c
}

type fuzzOptions struct {
	files     *[]string
	crd, save string
	seed      uint64
	time      time.Duration
	objects   int
	timed     bool
	format    *output.Format
	how       modules.Limits
}

func (o *fuzzOptions) run(ctx context.Context, s command.Streams, args []string) error {
	switch {
	case o.time <= 0:
		return command.Usagef("--for must be positive, not %v", o.time)
	case o.objects < 0:
		return command.Usagef("--objects must not be negative")
	}
	config, err := o.how.Config(s)
	if err != nil {
		return err
	}
	ctx, stop := command.BoundMemory(ctx, s.Err, command.LargeObjects)
	defer stop()
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(1600)) // the heap is small: 150 MB instead of 60, and a fifth more objects a second
	}
	config = modules.Cached(config)
	config.Limits, config.Logger = fuzz.Limits(config.Limits), nil // a module logs something about every second object
	modules.SayMisnamed(s, args)
	from, err := readSources(s, args, *o.files, o.crd)
	if err != nil {
		return err
	}
	definitions := make([]definition.File, len(from.kinds))
	for i, k := range from.kinds {
		if definitions[i], err = from.definition(k.files...); err != nil {
			return err
		}
		if definitions[i].CRD == nil {
			return fmt.Errorf("there is no definition of %s: name the file with its CustomResourceDefinition with --crd, or put it beside %s", k.kind, filepath.Base(k.files[0]))
		}
	}
	var reports []fuzzed
	results := output.NewReport(s.Out, *o.format, true)
	failed := false
	var end error
	for i, k := range from.kinds {
		if end != nil {
			break
		}
		set, file, err := modules.OpenAll(ctx, k.files, config)
		if err != nil {
			return ended(results, *o.format, file, err)
		}
		report, err := o.fuzz(ctx, s, k, definitions[i], set, from.objects)
		if report == nil {
			set.Close()
			return ended(results, *o.format, k.files[0], err)
		}
		end = err // the report has what was found until then
		failed = failed || len(report.Findings) > 0
		r := fuzzed{Report: report}
		for _, m := range set {
			r.Modules = append(r.Modules, m.Name())
		}
		set.Close()
		if o.save != "" {
			if err := saveFindings(o.save, k.kind, report.Findings); err != nil {
				return err
			}
		}
		switch *o.format {
		case output.Table:
			results.Add(findings(k.files, report, "", func(objects int) string { return o.again(args, objects) })...)
			writeMade(s, report)
			adviseLossy(s.Out, report.Findings)
		case output.JUnit, output.GitHub, output.SARIF:
			results.Add(findings(k.files, report, "no losses but those acknowledged", nil)...)
		}
		reports = append(reports, r)
	}
	switch *o.format {
	case output.JSON, output.YAML:
		err = output.Write(s.Out, *o.format, reports)
	case output.JUnit, output.GitHub, output.SARIF:
		err = results.Close()
	}
	switch {
	case end != nil:
		return end
	case err == nil && failed:
		err = command.ErrFound
	}
	return err
}

func (o *fuzzOptions) fuzz(ctx context.Context, s command.Streams, k kindFiles, d definition.File, set modules.Set, objects []json.RawMessage) (*fuzz.Report, error) {
	cfg := fuzz.Config{CRD: d.CRD, Modules: fuzz.Modules(set), Given: objects, Words: literals(k.files), Seed: o.seed, Objects: o.objects, Large: true, Measure: true}
	if o.timed {
		cfg.For = o.time
	}
	show, end := progress(s, k.kind)
	defer end()
	cfg.Progress = show
	return fuzz.Run(ctx, cfg)
}

// again returns the command that repeats the run until so many objects.
func (o *fuzzOptions) again(args []string, objects int) string {
	words := []string{"crosswalk", "fuzz", fmt.Sprintf("--seed=%d", o.seed), fmt.Sprintf("--objects=%d", max(objects, 1))}
	for _, file := range *o.files {
		words = append(words, "-f", file)
	}
	if o.crd != "" {
		words = append(words, "--crd", o.crd)
	}
	words = append(words, args...)
	for i, word := range words {
		if strings.ContainsAny(word, " \t'\"$&|;<>()*?[]#~`\\") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// literals returns the texts in the modules of a kind, except for packed ones.
func literals(files []string) (words []string) {
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && filepath.Ext(file) == ".wasm" {
			words = append(words, fuzz.Literals(text)...)
		}
	}
	return words
}

// fuzzed is the report about the modules of one kind.
type fuzzed struct {
	Modules []string `json:"modules"`
	*fuzz.Report
}

// writeMade writes the objects of a report for people, after its findings.
func writeMade(s command.Streams, r *fuzz.Report) {
	paint := output.Paint(s.Out)
	made := paint(output.Green, "made ")
	const most = 10
	for _, v := range r.Versions {
		size := ""
		if v.Kept > 0 {
			size = fmt.Sprintf("; size: %d of %d kept paths", v.Large, v.Kept)
		}
		fmt.Fprintf(s.Out, "  %s  %s: %d objects reached %d of %d goals%s\n", made, v.Version, v.Objects, v.Goals-len(v.Unreached), v.Goals, size)
		for i, text := range v.Unreached {
			if i == most {
				fmt.Fprintf(s.Out, "         and %d more\n", len(v.Unreached)-most)
				break
			}
			fmt.Fprintf(s.Out, "         not reached: %s\n", text)
		}
	}
	findings, empty := fuzz.Fold(r.Findings)
	more, n := "", 0
	for _, e := range empty {
		n += len(e.Paths)
	}
	if n > 0 {
		more = fmt.Sprintf(" and %d about empty values", n)
	}
	fmt.Fprintf(s.Out, "%d objects, %d findings%s, %d acknowledged\n", r.Objects, len(findings), more, len(r.Known))
}

// writeSeen writes how much clients of the other versions see, and the findings about it.
func writeSeen(s command.Streams, measures []fuzz.Measure, asks []fuzz.Finding) {
	for _, line := range fuzz.Lines(measures) {
		fmt.Fprintf(s.Out, "  %s\n", line)
	}
	for _, f := range asks {
		fmt.Fprintf(s.Out, "  %s  %s\n", output.Paint(s.Out)(output.Red, "FAIL "), f.Text())
	}
}

// saveFindings writes the findings as golden cases that fail until the converter is corrected: one
// file for a kind, with cases for a sidecar, and one for each object near the size limit.
func saveFindings(dir, kind string, findings []fuzz.Finding) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	type golden struct {
		Name         string          `json:"name"`
		From         string          `json:"from"`
		To           string          `json:"to"`
		Object       json.RawMessage `json:"object"`
		ThereAndBack bool            `json:"thereAndBack"`
	}
	var cases []golden
	large := 0
	for _, f := range findings {
		switch {
		case f.Large != nil: // too long for a sidecar
			large++
			if err := replace.File(filepath.Join(dir, fmt.Sprintf("%s_%s_to_%s_large%d.json", kind, f.From, f.To, large)), f.Large); err != nil {
				return err
			}
		case f.Object != nil:
			cases = append(cases, golden{f.Property + " " + f.Path, f.From, f.To, f.Object, true})
		}
	}
	if len(cases) == 0 {
		return nil
	}
	var text bytes.Buffer
	if err := output.Write(&text, output.YAML, map[string]any{"cases": cases}); err != nil {
		return err
	}
	return replace.File(filepath.Join(dir, kind+".yaml"), text.Bytes())
}
