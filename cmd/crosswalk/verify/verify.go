// Package verify has the commands that run modules and check what they do.
package verify

import "github.com/spf13/cobra"

// Commands returns the commands of the group, in the order of the help. A new command is one line
// here and a file of its own.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		checkCommand(),
		testCommand(),
		fuzzCommand(),
		proveCommand(),
		diffCommand(),
		compatCommand(),
		benchCommand(),
		convertCommand(),
		inspectCommand(),
	}
}
