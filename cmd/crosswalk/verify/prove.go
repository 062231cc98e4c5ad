package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/bounded"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/prove"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

var proveFormats = []output.Format{output.Table, output.JSON, output.YAML}

func proveCommand() *cobra.Command {
	var o proveOptions
	c := &cobra.Command{
		Use: "prove --crd FILE RULES.yaml", Short: "prove that rules lose nothing",
		Long: `Answers whether every object that the schemas allow comes back equal from the other version, in both directions, with edits in the other
version kept and no object refused (docs/author/prove.md). The answer is one of three:

  proved          a lemma covers each rule, and no generated object contradicts
                  it; the command names the limits of the proof
  counterexample  the rules lose something of the object shown
  not decided     neither; the command lists the open conditions

It exits with 0 if the rules are proved. crosswalk fuzz looks for losses of a module in any language.
`,
		Example: `crosswalk prove --crd crd.yaml rules.yaml
crosswalk prove --crd crd.yaml -o json rules.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Usagef("name one file with rules, such as rules.yaml")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.crd == "":
				return command.Usagef("--crd is required: name the file with the CustomResourceDefinition, whose schemas decide")
			case o.during <= 0:
				return command.Usagef("--for must be positive, not %v", o.during)
			case !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(args[0])):
				return command.Usagef("%s has no rules (.yaml): crosswalk fuzz looks for losses of a module", args[0])
			}
			return o.run(cmd.Context(), command.StreamsOf(cmd), args[0])
		},
	}
	c.Flags().StringVar(&o.crd, "crd", "", "`FILE` with the CustomResourceDefinition (required)")
	c.Flags().DurationVar(&o.during, "for", 30*time.Second, "`TIME` after which to stop converting objects")
	o.format = output.Flag(c.Flags(), proveFormats...)
	command.CompleteFlag(c, "crd", command.CompleteDefinitions)
	command.CompleteFlag(c, "output", command.CompleteFormats(proveFormats...))
	return c
}

type proveOptions struct {
	crd    string
	during time.Duration
	format *output.Format
}

const (
	// maxRulesFile bounds a rules file, before its own reader does.
	maxRulesFile = 16 << 20
	// provedObjects is the most objects that are converted to contradict a proof.
	provedObjects = 4000
)

// run answers for a rules file.
func (o *proveOptions) run(ctx context.Context, s command.Streams, source string) error {
	text, err := bounded.ReadFile(source, maxRulesFile)
	if err != nil {
		return err
	}
	f, err := rules.Parse(text)
	if err != nil {
		return command.Findingf("%s:%s", source, strings.ReplaceAll(err.Error(), "\n", "\n"+source+":"))
	}
	d, err := definition.ReadFile(o.crd, f.Kind+"."+f.Group)
	if err != nil {
		return err
	}
	if d.Kind() != f.Kind+"."+f.Group {
		return command.Findingf("%s defines %s, and %s has rules for %s.%s", o.crd, d.Kind(), source, f.Kind, f.Group)
	}
	ctx, stop := command.BoundMemory(ctx, s.Err, command.LargeObjects)
	defer stop()
	options := prove.Options{Objects: provedObjects, For: o.during}
	say, end := output.Progress(s.Err)
	defer end()
	options.Progress = func(objects, _ int) { say("%s: %d objects came there and back", source, objects) }
	v, err := prove.Rules(ctx, f, text, d.CRD, options)
	if err != nil {
		return err
	}
	if *o.format == output.Table {
		writeVerdict(s, source, v)
	} else if err := output.Write(s.Out, *o.format, v); err != nil {
		return err
	}
	if v.Answer != prove.Proved || len(v.Asks) > 0 {
		return command.ErrFound
	}
	return nil
}

// writeVerdict writes a verdict for people.
func writeVerdict(s command.Streams, source string, v *prove.Verdict) {
	paint := output.Paint(s.Out)
	fmt.Fprintf(s.Out, "%s: %s\n", source, v.Kind)
	writeSeen(s, v.Measures, v.Asks)
	for _, text := range v.Lemmas {
		fmt.Fprintf(s.Out, "  %s  %s\n", paint(output.Green, "holds"), text)
	}
	for _, open := range v.Open {
		fmt.Fprintf(s.Out, "  %s  %s\n", paint(output.Yellow, "open "), open)
	}
	versions := strings.Join(v.Versions, ", ")
	switch v.Answer {
	case prove.Proved:
		for _, l := range v.Limits {
			fmt.Fprintf(s.Out, "  %s  %s\n", paint(output.Yellow, "limit"), l)
		}
		limits := ""
		if len(v.Limits) > 0 {
			limits = ", within the limits above"
		}
		converted := fmt.Sprintf("and %d objects came back equal", v.Objects)
		if v.Objects == 0 {
			converted = "the time was too short to convert any object"
		}
		fmt.Fprintf(s.Out, "%s: no object of %s loses anything on the way there and back%s (%s)\n", paint(output.Green, v.Answer), versions, limits, converted)
		fmt.Fprintf(s.Out, "  excluded: %s (docs/author/prove.md)\n", strings.Join(v.Excluded, ", "))
	case prove.Counterexample:
		f := v.Example
		name := v.Kind + "_" + strings.Join(v.Versions, "_") + ".wasm"
		fmt.Fprintf(s.Out, "%s: %s\n  object: %s\n", paint(output.Red, v.Answer), f.Text(), f.Example())
		if v.There != "" {
			fmt.Fprintf(s.Out, "  in %s:  %s\n", f.To, v.There)
		}
		if v.Back != "" {
			fmt.Fprintf(s.Out, "  back:   %s\n", v.Back)
		}
		fmt.Fprintf(s.Out, "  repeat: crosswalk compile %s; crosswalk convert --to %s -f OBJECT %s | crosswalk convert --to %s %s\n", source, f.To, name, f.From, name)
	default:
		fmt.Fprintf(s.Out, "%s: the conditions above are open, and %d objects came back equal\n", paint(output.Yellow, v.Answer), v.Objects)
	}
}
