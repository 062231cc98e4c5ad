package operate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/cluster"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

func retireCommand() *cobra.Command {
	var o planOptions
	var r attach.Retirement
	var yes, dryRun bool
	c := &cobra.Command{
		Use: "retire [flags] CRD VERSION", Short: "remove a version of a definition, step by step",
		Long: `Does the steps of crosswalk plan --remove that are READY, one after the other (docs/use/migrate.md). It waits until each step is true,
measures the plan again, and stops at the first step that is not READY. Run it again at any time: it goes on where the definition is.

It asks before it stops serving the version and before it removes the version, unless --yes is given. If somebody else has changed the
definition meanwhile, it measures the plan again.

If a chart, OLM or a GitOps engine has the definition as a manifest, change the manifest for each step instead.
`,
		Example: `crosswalk retire --dry-run crontabs.stable.example.com v1
crosswalk retire --yes -f deploy crontabs.stable.example.com v1`,
		Annotations: map[string]string{command.ExampleTest: "TestRetire in test/e2e"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 || args[1] == "" {
				return command.Usagef("name one CustomResourceDefinition and one of its versions")
			}
			return nil
		},
		ValidArgsFunction: cluster.CompleteDefinitions(&o.cluster),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := command.StreamsOf(cmd)
			switch {
			case r.Rate <= 0:
				return command.Usagef("--rate must be positive")
			case *o.format != output.Table && !yes && !dryRun:
				return command.Usagef("-o %s cannot ask: use --yes or --dry-run", *o.format)
			}
			o.goal.Remove = args[1]
			o.goal.Report = func(p attach.Progress) { fmt.Fprintf(s.Err, "     %s\n", p.Text) }
			c, t, err := o.open(cmd, args[0])
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			if dryRun {
				plan, err := c.Plan(ctx, t, o.goal)
				if err != nil {
					return err
				}
				return o.write(s.Out, plan)
			}
			progress := s.Out
			if *o.format != output.Table {
				progress = s.Err
			}
			lines := bufio.NewReader(s.In)
			r.Report = func(p attach.Progress) { fmt.Fprintf(progress, "     %s\n", p.Text) }
			r.Step = func(n int, step attach.Step) { fmt.Fprintf(progress, "  %d  %s\n", n, last(step.Title)) }
			r.Confirm = func(step attach.Step) error {
				if yes {
					return nil
				}
				fmt.Fprintf(s.Err, "%s? %s. [y/N] ", last(step.Title), last(step.Warning))
				err := confirm(ctx, lines, step)
				if err != nil {
					fmt.Fprintln(s.Err)
				}
				return err
			}
			plan, err := c.Retire(ctx, t, o.goal, r)
			if plan != nil {
				if failed := o.write(s.Out, plan); failed != nil {
					return failed
				}
			}
			if errors.Is(err, attach.ErrStopped) || errors.Is(err, attach.ErrObjects) {
				return command.Finding{Err: err}
			}
			return err
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "print the plan and change nothing")
	c.Flags().Float64Var(&r.Rate, "rate", 100, "`NUMBER` of objects a second that are written")
	o.declare(c)
	o.cluster = cluster.Declare(c.Flags())
	return c
}

// confirm reads the answer to a question.
func confirm(ctx context.Context, lines *bufio.Reader, step attach.Step) error {
	type answer struct {
		line string
		err  error
	}
	answered := make(chan answer, 1)
	go func() { // ends with the line, or with the process
		line, err := lines.ReadString('\n')
		answered <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case a := <-answered:
		if a.err != nil && !errors.Is(a.err, io.EOF) {
			return a.err
		}
		switch strings.ToLower(strings.TrimSpace(a.line)) {
		case "y", "yes":
			return nil
		}
		return fmt.Errorf("%w before step %q: it was not confirmed; answer y, or use --yes", attach.ErrStopped, step.Title)
	}
}
