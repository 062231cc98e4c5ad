package operate

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/cluster"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/internal/attach"
)

func statusCommand() *cobra.Command {
	var gateway gatewayFlags
	var format *output.Format
	var flags *cluster.Flags
	formats := []output.Format{output.Table, output.JSON, output.YAML}
	c := &cobra.Command{
		Use: "status [flags] [CRD...]", Short: "list the definitions that the gateway converts",
		Long: `Lists CustomResourceDefinitions with several versions or a webhook, or the named ones: attached (the gateway converts them), other
(another webhook does), unconverted (several versions are in use, and nothing converts), or one version. crosswalk explain tests one.
It names the versions to which admission policies demand a conversion (attach --convertible). For named definitions it also lists the field
managers that wrote their objects at each version, from metadata.managedFields.
`,
		Example: `crosswalk status
crosswalk status -o json crontabs.stable.example.com`,
		Annotations:       map[string]string{command.ExampleTest: "TestAttachCommand in test/e2e"},
		ValidArgsFunction: cluster.CompleteDefinitions(&flags),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := gateway.address()
			if err != nil {
				return err
			}
			c, err := flags.Open()
			if err != nil {
				return err
			}
			rows := []attach.Row{}
			if len(args) == 0 {
				if rows, err = c.List(cmd.Context(), g); err != nil {
					return err
				}
			}
			for _, name := range args {
				t, err := c.Find(cmd.Context(), name)
				if err != nil {
					return err
				}
				named := g.Rows(t)
				for i := range named {
					if named[i].Writers, err = c.Writers(cmd.Context(), named[i].CRD); err != nil {
						named[i].Unread = err.Error()
					}
				}
				rows = append(rows, named...)
			}
			if err := c.Enforcement(cmd.Context(), rows); err != nil {
				return err
			}
			if *format != output.Table {
				return output.Write(cmd.OutOrStdout(), *format, rows)
			}
			return writeRows(cmd.OutOrStdout(), rows)
		},
	}
	gateway.flags(c.Flags())
	format = output.Flag(c.Flags(), formats...)
	flags = cluster.Declare(c.Flags())
	command.CompleteFlag(c, "output", command.CompleteFormats(formats...))
	return c
}

func writeRows(out io.Writer, rows []attach.Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATE\tSERVED\tSTORED\tCONVERSION")
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", row.Name, row.State, strings.Join(row.Served, ","), strings.Join(row.Stored, ","), row.Where)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, row := range rows {
		if len(row.Enforced) > 0 {
			fmt.Fprintf(out, "\nadmission policies let an object of %s be written only if it converts to %s\n", row.Name, strings.Join(row.Enforced, ", "))
		}
	}
	w = tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	head := "\nNAME\tWRITTEN AT\tBY\tOPERATION\tOBJECTS\tLAST\n"
	for _, row := range rows {
		if row.Unread != "" {
			fmt.Fprintf(out, "\nthe writers of %s cannot be read: %s\n", row.Name, row.Unread)
		}
		for _, by := range row.Writers {
			fmt.Fprintf(w, "%s%s\t%s\t%s\t%s\t%d\t%s\n", head, row.Name, by.Version, by.Manager, by.Operation, by.Objects, by.Last.UTC().Format(time.RFC3339))
			head = ""
		}
	}
	return w.Flush()
}
