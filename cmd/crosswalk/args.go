package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

// noArgs rejects all arguments.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q", args[0])
	}
	return nil
}

// someArgs rejects a command line without arguments; things says what the arguments name.
func someArgs(things string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("name at least one %s", things)
		}
		return nil
	}
}

// atLeast rejects a command line with fewer arguments; what says which are expected.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < n {
			return usagef("name %s", what)
		}
		return nil
	}
}

// completeModules completes an argument with the names of modules and directories.
func completeModules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"wasm", "gz", "zst"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeDefinitions completes a flag with the names of files that have CustomResourceDefinitions.
func completeDefinitions(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeFlag sets the completion of a flag. It panics if the command has no such flag, which is
// an error in the command and shows in every test.
func completeFlag(cmd *cobra.Command, name string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err)
	}
}

// completeFormats completes -o.
func completeFormats(formats ...output.Format) cobra.CompletionFunc {
	return cobra.FixedCompletions(output.Names(formats...), cobra.ShellCompDirectiveNoFileComp)
}

// baseName returns the name of a file without its directory, for messages.
func baseName(path string) string { return filepath.Base(path) }
