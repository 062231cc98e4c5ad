// Package write has the commands that create and build converters.
package write

import "github.com/spf13/cobra"

// Commands returns the commands of the group, in the order of the help. A new command is one line
// here and a file of its own.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		initCommand(),
		adoptCommand(),
		compileCommand(),
	}
}
