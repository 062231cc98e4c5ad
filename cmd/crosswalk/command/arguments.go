package command

import (
	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

// NoArgs rejects all arguments.
func NoArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("unexpected argument %q", args[0])
	}
	return nil
}

// SomeArgs rejects a command line without arguments, which name things.
func SomeArgs(things string) cobra.PositionalArgs { return AtLeast(1, "at least one "+things) }

// AtLeast rejects a command line with fewer arguments; expected names them.
func AtLeast(n int, expected string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < n {
			return Usagef("name %s", expected)
		}
		return nil
	}
}

// CompleteModules completes an argument with the names of modules and directories.
func CompleteModules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"wasm", "gz", "zst"}, cobra.ShellCompDirectiveFilterFileExt
}

// CompleteDefinitions completes a flag with the names of files that have CustomResourceDefinitions.
func CompleteDefinitions(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// CompleteFlag sets the completion of a flag. It panics if the command has no such flag, which is
// an error in the command and shows in every test.
func CompleteFlag(cmd *cobra.Command, name string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err)
	}
}

// CompleteFormats completes -o.
func CompleteFormats(formats ...output.Format) cobra.CompletionFunc {
	return cobra.FixedCompletions(output.Names(formats...), cobra.ShellCompDirectiveNoFileComp)
}

// LimitFlag is the annotation of flags that set limits. The help lists them last, because few
// users need them.
const LimitFlag = "limit"

// ExampleTest is the annotation of a command whose examples need more than files, such as a
// cluster: the test that runs them. The value names it for readers.
const ExampleTest = "crosswalk/example-test"

// LiveExample is the annotation of a command of which the examples with --live need a cluster: the
// test that runs them.
const LiveExample = "crosswalk/live-example-test"
