// Package operate has the commands that change and examine the conversion of a cluster's definitions.
package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Commands returns the commands of the group, in the order of the help. A new command is one line
// here and a file of its own.
func Commands() []*cobra.Command {
	all := []*cobra.Command{
		attachCommand(),
		detachCommand(),
		statusCommand(),
		explainCommand(),
		refreshCommand(),
		migrateStorageCommand(),
		planCommand(),
		retireCommand(),
	}
	for _, c := range all {
		bounded(c)
	}
	return all
}

// Tables have texts of an API server: names, managers, conditions, messages. A line feed in one would
// begin a row that looks like the tool's own, and a long one would widen its column in every row.
const (
	maxCell = 512     // bytes of a column
	maxLast = 4 << 10 // of the last column, or of a line without columns
)

// cell returns a text for a column.
func cell(text string) string { return inLine(text, maxCell) }

// last returns a text for the last column, or for a line of its own.
func last(text string) string { return inLine(text, maxLast) }

func inLine(text string, limit int) string {
	return strings.Join(strings.Fields(foreign.Shorten(text, limit)), " ")
}

// paragraph returns a text of several lines, which the caller indents.
func paragraph(text string) string { return foreign.Shorten(text, 4*maxLast) }

// bounded makes a command end when its process needs too much memory, because an API server answers
// without end.
func bounded(c *cobra.Command) {
	run := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := command.BoundMemory(cmd.Context(), cmd.ErrOrStderr(), "the API server's answers are very large")
		defer stop()
		cmd.SetContext(ctx)
		err := run(cmd, args)
		if cause := context.Cause(ctx); err != nil && errors.As(cause, new(command.MemoryError)) {
			return fmt.Errorf("%w: %w", cause, err)
		}
		return err
	}
}
