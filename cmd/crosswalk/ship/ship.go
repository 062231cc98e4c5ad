// Package ship has the commands that bring modules to a gateway.
package ship

import "github.com/spf13/cobra"

// Commands returns the commands of the group, in the order of the help. A new command is one line
// here and a file of its own.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		configmapCommand(),
		pushCommand(),
		pullCommand(),
	}
}
