package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/cluster"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

func statusCommand() *cobra.Command {
	var gateway gatewayFlags
	var format *output.Format
	var flags *cluster.Flags
	formats := []output.Format{output.Table, output.JSON, output.YAML}
	c := &cobra.Command{
		Use: "status [flags] [CRD...]", Short: "list the definitions that name the gateway",
		Long: `Lists CustomResourceDefinitions with several versions or a webhook, or the named ones: attached (spec.conversion names the gateway),
other (it names another webhook), unconverted (the schemas of used versions differ, and nothing converts), one schema (several versions are
in use, and need no conversion), or one version (docs/use/attach.md). It tests no conversion, as explain does; with --ca-file it compares the
caBundle. It names the versions to which admission policies demand a conversion. Of named definitions it also lists the field managers at
each version. Several contexts give one table; it exits with 2 if one could not be read.
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
			rows := []contextRow{}
			err = flags.Each(func(s cluster.Selection) error {
				found, err := statusRows(cmd.Context(), s.Flags, g, args)
				for i := range found {
					rows = append(rows, contextRow{Context: s.Name, Row: &found[i]})
				}
				if err != nil && s.Name != "" {
					rows = append(rows, contextRow{Context: s.Name, Error: err.Error()})
				}
				return err
			})
			if err != nil && len(rows) == 0 {
				return err
			}
			if *format != output.Table {
				return errors.Join(output.Write(cmd.OutOrStdout(), *format, rows), err)
			}
			return errors.Join(writeRows(cmd.OutOrStdout(), rows), err)
		},
	}
	gateway.flags(c.Flags())
	format = output.Flag(c.Flags(), formats...)
	flags = cluster.DeclareSeveral(c.Flags())
	command.CompleteFlag(c, "output", command.CompleteFormats(formats...))
	return c
}

// contextRow is a row of one of several clusters, or why it could not be read.
type contextRow struct {
	Context string `json:"context,omitempty"`
	*attach.Row
	Error string `json:"error,omitempty"`
}

// statusRows returns the rows of one cluster.
func statusRows(ctx context.Context, flags *cluster.Flags, g attach.Gateway, names []string) (rows []attach.Row, err error) {
	c, err := flags.Open()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		if rows, err = c.List(ctx, g); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		t, err := c.Find(ctx, name)
		if err != nil {
			return nil, err
		}
		named := g.Rows(ctx, t)
		for i := range named {
			all, err := c.Survey(ctx, named[i].CRD)
			if err != nil {
				named[i].Unread = err.Error()
			}
			named[i].Writers, named[i].Note = all.Writers, all.Note()
		}
		rows = append(rows, named...)
	}
	return rows, c.Policies.Enforcement(ctx, rows)
}

// writeRows writes tables, with a column for the context if there are several.
func writeRows(out io.Writer, rows []contextRow) error {
	several := slices.ContainsFunc(rows, func(r contextRow) bool { return r.Context != "" })
	column := func(text string) string {
		if !several {
			return ""
		}
		return text + "\t"
	}
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, column("CONTEXT")+"NAME\tSTATE\tSERVED\tSTORED\tCONVERSION")
	for _, row := range rows {
		if row.Row == nil {
			fmt.Fprintf(w, "%s-\tunknown\t-\t-\t%s\n", column(row.Context), last(row.Error))
			continue
		}
		where := strings.Join(append([]string{row.Where}, row.Defects...), "; ")
		fmt.Fprintf(w, "%s%s\t%s\t%s\t%s\t%s\n", column(row.Context), cell(row.Name), row.State, cell(strings.Join(row.Served, ",")), cell(strings.Join(row.Stored, ",")), last(where))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r contextRow) bool { return r.Row == nil })
	for _, row := range rows {
		if len(row.Enforced) > 0 {
			fmt.Fprintf(out, "\n%sadmission policies let an object of %s be written only if it converts to %s\n", of(row.Context), cell(row.Name), last(strings.Join(row.Enforced, ", ")))
		}
	}
	w = tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	head := "\n" + column("CONTEXT") + "NAME\tWRITTEN AT\tBY\tOPERATION\tOBJECTS\tLAST\n"
	for _, row := range rows {
		if row.Unread != "" {
			fmt.Fprintf(out, "\n%sthe writers of %s cannot be read: %s\n", of(row.Context), cell(row.Name), last(row.Unread))
		}
		for _, by := range row.Writers {
			fmt.Fprintf(w, "%s%s%s\t%s\t%s\t%s\t%d\t%s\n", head, column(row.Context), cell(row.Name), cell(by.Version), cell(by.Manager), cell(by.Operation), by.Objects, by.Last.UTC().Format(time.RFC3339))
			head = ""
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, row := range rows {
		if row.Note != "" {
			fmt.Fprintf(out, "\n%s%s has %s\n", of(row.Context), cell(row.Name), row.Note)
		}
	}
	return nil
}

// of names a context before a sentence.
func of(context string) string {
	if context == "" {
		return ""
	}
	return context + ": "
}
