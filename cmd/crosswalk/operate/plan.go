package operate

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/cluster"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/manifest"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

// planFormats are the formats of plans.
var planFormats = []output.Format{output.Table, output.JSON, output.YAML}

func planCommand() *cobra.Command {
	var o planOptions
	c := &cobra.Command{
		Use: "plan [flags] CRD", Short: "say what a change of a definition's versions needs",
		Long: `Lists the steps that store the objects of a CustomResourceDefinition in another version (--to, by default the newest), or that remove a
version (--remove), each with its evidence (docs/use/migrate.md). It changes nothing. A step is one of:

  DONE      it is so
  READY     it can be done now; the last line says how
  BLOCKED   it waits for another step or a change, which the plan names
  UNKNOWN   it could not be measured, such as without the right to list objects

It converts every stored object there and back, with the gateway, and reads metadata.managedFields of all objects: which manager wrote at
the version that is to leave, and when. Clients that only read, or that write the fields as they are, show in the API servers' audit logs
and metrics alone.

It exits with 1 if the first step that is not done is blocked or unknown. With several contexts, one table has the steps of all clusters,
and the worst exit code counts.
`,
		Example: `crosswalk plan crontabs.stable.example.com
crosswalk plan --remove v1 -f deploy crontabs.stable.example.com
crosswalk plan --to v2 -o json CronTab.stable.example.com`,
		Annotations:       map[string]string{command.ExampleTest: "TestRetire in test/e2e"},
		Args:              oneDefinition,
		ValidArgsFunction: cluster.CompleteDefinitions(&o.cluster),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.goal.To != "" && o.goal.Remove != "" {
				return command.Usagef("--to and --remove exclude each other: retire stores another version where that is necessary")
			}
			plans, blocked := []contextPlan{}, false
			err := o.cluster.Each(func(s cluster.Selection) error {
				one := o
				one.cluster = s.Flags
				one.goal.Report = func(p attach.Progress) { fmt.Fprintln(cmd.ErrOrStderr(), strings.TrimPrefix(s.Name+": "+p.Text, ": ")) }
				plan, err := one.plan(cmd, args[0])
				if err != nil {
					plans = append(plans, contextPlan{Context: s.Name, Error: err.Error()})
					return err
				}
				plans = append(plans, contextPlan{Context: s.Name, Plan: plan})
				next := plan.Next()
				blocked = blocked || next != nil && next.State != attach.Ready
				return nil
			})
			switch {
			case len(plans) == 1 && plans[0].Context == "" && err != nil:
				return err
			case len(plans) == 1 && plans[0].Context == "":
				err = o.write(cmd.OutOrStdout(), plans[0].Plan)
			case len(plans) > 0:
				err = errors.Join(o.writeSeveral(cmd.OutOrStdout(), plans), err)
			}
			if err == nil && blocked {
				return command.ErrFound
			}
			return err
		},
	}
	c.Flags().StringVar(&o.goal.To, "to", "", "`VERSION` in which the objects are to be stored")
	c.Flags().StringVar(&o.goal.Remove, "remove", "", "`VERSION` that is to be removed")
	o.declare(c)
	o.cluster = cluster.DeclareSeveral(c.Flags())
	return c
}

func oneDefinition(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return command.Usagef("name one CustomResourceDefinition")
	}
	return nil
}

// planOptions are the flags that plan and retire share.
type planOptions struct {
	goal      attach.Goal
	manifests []string
	format    *output.Format
	cluster   *cluster.Flags
}

func (o *planOptions) declare(c *cobra.Command) {
	flags := c.Flags()
	flags.StringSliceVarP(&o.manifests, "filename", "f", nil, "`DIR` or file with manifests that must not name the version that leaves")
	flags.IntVar(&o.goal.MaxSamples, "max-samples", 0, "`NUMBER` of stored objects to convert (0 = all)")
	flags.DurationVar(&o.goal.Idle, "idle", 10*time.Minute, "`TIME` without a write at the version that leaves, until it may be unserved")
	o.format = output.Flag(flags, planFormats...)
	command.CompleteFlag(c, "output", command.CompleteFormats(planFormats...))
}

// open finds the definition, and the manifests that name the version that leaves.
func (o *planOptions) open(cmd *cobra.Command, name string) (*attach.Cluster, *attach.Target, error) {
	switch {
	case o.goal.MaxSamples < 0:
		return nil, nil, command.Usagef("--max-samples must not be negative")
	case o.goal.Idle < 0:
		return nil, nil, command.Usagef("--idle must not be negative")
	case !isVersion(o.goal.Remove) || !isVersion(o.goal.To):
		return nil, nil, command.Usagef("VERSION must be the name of a version, such as v1")
	case len(o.manifests) > 0 && o.goal.Remove == "":
		return nil, nil, command.Usagef("-f is for --remove")
	}
	c, err := o.cluster.Open()
	if err != nil {
		return nil, nil, err
	}
	t, err := c.Find(cmd.Context(), name)
	if err != nil {
		return nil, nil, err
	}
	spec := t.Definitions[0].Spec
	for _, dir := range o.manifests {
		places, files, err := manifest.Places(cmd.Context(), dir, func(group, version, kind string) bool {
			return group == spec.Group && version == o.goal.Remove && (kind == spec.Names.Kind || kind == "")
		})
		if err != nil {
			return nil, nil, err
		}
		o.goal.Manifests = append(o.goal.Manifests, places...)
		o.goal.Files += files
	}
	return c, t, nil
}

// isVersion reports whether a text can be the name of a version, or is empty.
func isVersion(text string) bool { return text == "" || len(validation.IsDNS1035Label(text)) == 0 }

// plan measures one cluster.
func (o *planOptions) plan(cmd *cobra.Command, name string) (*attach.Plan, error) {
	c, t, err := o.open(cmd, name)
	if err != nil {
		return nil, err
	}
	return c.Plan(cmd.Context(), t, o.goal)
}

// contextPlan is the plan of one of several clusters, or why there is none.
type contextPlan struct {
	Context string `json:"context"`
	*attach.Plan
	Error string `json:"error,omitempty"`
}

// writeSeveral writes the plans of several clusters as one table, or as a list.
func (o *planOptions) writeSeveral(out io.Writer, plans []contextPlan) error {
	if *o.format != output.Table {
		return output.Write(out, *o.format, plans)
	}
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "CONTEXT\tSTEP\tSTATE\tTITLE\tEVIDENCE")
	for _, p := range plans {
		if p.Plan == nil {
			fmt.Fprintf(w, "%s\t-\t%s\t-\t%s\n", p.Context, attach.Unknown, last(p.Error))
			continue
		}
		for i, s := range p.Steps {
			why := slices.Clone(s.Evidence)
			if s.Remedy != "" {
				why = append(why, s.Remedy)
			}
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", p.Context, i+1, s.State, cell(s.Title), last(strings.Join(why, "; ")))
		}
	}
	return w.Flush()
}

// write writes a plan.
func (o *planOptions) write(out io.Writer, plan *attach.Plan) error {
	if *o.format != output.Table {
		return output.Write(out, *o.format, plan)
	}
	goal := "store " + plan.To
	if plan.Remove != "" {
		goal = "remove " + plan.Remove + ", and store " + plan.To
	}
	fmt.Fprintf(out, "%s: %s\n", cell(plan.Definition), last(goal))
	paint := output.Paint(out)
	colours := map[attach.State]output.Colour{attach.Done: output.Green, attach.Ready: output.Yellow, attach.Blocked: output.Red, attach.Unknown: output.Red}
	for i, s := range plan.Steps {
		fmt.Fprintf(out, "  %d  %s  %s\n", i+1, paint(colours[s.State], fmt.Sprintf("%-7s", s.State)), last(s.Title))
		lines := s.Evidence
		if s.Remedy != "" && s.State == attach.Blocked && strings.HasPrefix(s.Remedy, "after step ") {
			lines = append(lines, s.Remedy)
		} else if s.Remedy != "" {
			lines = append(lines, "remedy: "+s.Remedy)
		}
		for _, line := range lines {
			fmt.Fprintf(out, "              %s\n", strings.ReplaceAll(paragraph(line), "\n", "\n              "))
		}
	}
	fmt.Fprintln(out, last(next(plan)))
	return nil
}

// next says who does the first step that is not done.
func next(plan *attach.Plan) string {
	i := slices.IndexFunc(plan.Steps, func(s attach.Step) bool { return s.State != attach.Done })
	switch {
	case i < 0:
		return "all steps are done"
	case plan.Steps[i].State != attach.Ready:
		return fmt.Sprintf("step %d is %s: follow its remedy, then run the command again", i+1, plan.Steps[i].State)
	case plan.Remove != "":
		return fmt.Sprintf("next is step %d: crosswalk retire %s %s", i+1, plan.Definition, plan.Remove)
	case plan.Steps[i].Name == attach.StepMigrate:
		return fmt.Sprintf("next is step %d: crosswalk migrate-storage %s", i+1, plan.Definition)
	case plan.Steps[i].Name == attach.StepServe:
		return fmt.Sprintf("next is step %d: set served: true for %s in spec.versions of %s", i+1, plan.To, plan.Definition)
	case plan.Steps[i].Name == attach.StepStore:
		return fmt.Sprintf("next is step %d: set storage: true for %s, and storage: false for the others, in spec.versions of %s", i+1, plan.To, plan.Definition)
	}
	return fmt.Sprintf("next is step %d: %s", i+1, plan.Steps[i].Title)
}
