// Package operate has the commands that change and examine the conversion of a cluster's definitions.
package operate

import "github.com/spf13/cobra"

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
