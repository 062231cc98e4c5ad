package operate

import (
	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/cluster"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

func explainCommand() *cobra.Command {
	var format *output.Format
	var flags *cluster.Flags
	c := &cobra.Command{
		Use: "explain [flags] CRD...", Short: "say why the conversion of a definition fails",
		Long: `Follows the way of a conversion, by any webhook, and reports each step (docs/use/attach.md), with every conversion between versions that are
served or stored, at every ready replica. Last it reads a stored object at each served version through the API server, lists all objects
there, compares some of the API server's cache with single reads, and counts the field managers by version. It changes nothing.

If everything passes but the API server's own call, look at the network between the two: port forwarding avoids NetworkPolicies.
`,
		Example: `crosswalk explain crontabs.stable.example.com
crosswalk explain -o json CronTab.stable.example.com`,
		Annotations:       map[string]string{command.ExampleTest: "TestAttachCommand in test/e2e"},
		Args:              command.SomeArgs("CustomResourceDefinition"),
		ValidArgsFunction: cluster.CompleteDefinitions(&flags),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := flags.Open()
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			report := output.NewReport(cmd.OutOrStdout(), *format, true)
			for _, name := range args {
				t, err := c.Find(ctx, name)
				if err != nil {
					return err
				}
				addChecks(report, t.String(), c.Probe.Examine(ctx, t, t.Conversion()))
				addChecks(report, t.String(), c.Probe.Through(ctx, t))
				addChecks(report, t.String(), attach.Lists(ctx, c, t))
				addChecks(report, t.String(), attach.Cached(ctx, c, t))
				addChecks(report, t.String(), c.Probe.ManagedFields(ctx, t))
			}
			if err := report.Close(); err != nil {
				return err
			}
			if report.Failed() {
				return command.ErrFound
			}
			return nil
		},
	}
	format = output.Flag(c.Flags(), output.ReportFormats...)
	flags = cluster.Declare(c.Flags())
	command.CompleteFlag(c, "output", command.CompleteFormats(output.ReportFormats...))
	return c
}

func refreshCommand() *cobra.Command {
	return changing(&cobra.Command{
		Use: "refresh [flags] CRD...", Short: "have API servers convert objects again after a swap",
		Long: `Makes API servers forget the converted objects that they cache for LIST, WATCH, informers and field selectors, for any conversion webhook
(docs/use/tasks.md). After a swap GET has the new module's values and all others the previous one's, until somebody writes the object; a
controller that changes such a copy writes the previous module's values through the new module. Run it when every replica serves the new module.

It adds an unknown version to conversionReviewVersions and takes it away again. Owners of fields and all other parts of the definition stay;
watches end, and clients list again. Then it waits until LIST equals GET on every API server that it meets, for at most a minute.
`,
		Example:     `crosswalk refresh crontabs.stable.example.com`,
		Annotations: map[string]string{command.ExampleTest: "TestRefresh in test/e2e"},
	}, attach.Refresh)
}
