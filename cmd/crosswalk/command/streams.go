// Package command has the common parts of all commands: streams, arguments, errors and
// exit codes. It knows no command.
package command

import (
	"io"

	"github.com/spf13/cobra"
)

// Streams are the standard streams of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// StreamsOf returns the streams of a running command. Commands use no others, so that tests can
// replace them.
func StreamsOf(cmd *cobra.Command) Streams {
	return Streams{cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()}
}
