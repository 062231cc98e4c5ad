package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func docsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "docs", Short: "write the reference of all commands",
		Long:    "Writes the help of all commands as one page of Markdown, docs/use/cli.md of the repository.",
		Example: "crosswalk docs > cli.md",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), reference(cmd.Root()))
			return err
		},
	}
}

// reference returns docs/use/cli.md.
func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, g := range root.Groups() {
		list := commandsIn(root, g.ID)
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| command | |\n|---|---|\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range list {
			fmt.Fprintf(&b, "| [%s](#crosswalk-%s) | %s |\n", c.Name(), c.Name(), strings.ReplaceAll(c.Short, "|", `\|`))
		}
		for _, c := range list {
			fmt.Fprintf(&b, "\n### crosswalk %s\n\n%s\n", c.Name(), strings.TrimSpace(c.Long))
			fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.TrimSpace(c.UseLine()))
			if c.Example != "" {
				fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.TrimSpace(c.Example))
			}
			flags, limits := flagsOf(c)
			if usages := flags.FlagUsagesWrapped(110) + limits.FlagUsagesWrapped(110); usages != "" {
				fmt.Fprintf(&b, "\n```\n%s```\n", usages)
			}
		}
	}
	return b.String()
}

const referenceHead = `# The crosswalk command

The reference of all commands, as ` + "`crosswalk docs`" + ` writes it. ` + "`crosswalk COMMAND --help`" + ` shows the same text.

## Conventions

- **Exit codes**: 0 if everything passed, 1 if the command found a fault in a module, an object or a definition, 2 if the command line is
  wrong, a file is missing, or the tool failed.
- **Modules** are arguments: files, or directories, which stand for all modules in them, as a gateway serves them.
- **Objects** come from ` + "`-f FILE|DIR|-`" + `, which is repeatable: YAML or JSON, one document or many, lists, and ConversionReviews. A directory
  stands for its .yaml, .yml and .json files, and - for standard input.
- **Definitions** come from ` + "`--crd FILE`" + `: a CustomResourceDefinition or a Crossplane CompositeResourceDefinition, alone or among other
  documents, such as an operator's release manifest.
- **Results** go to standard output, in the form of ` + "`-o`" + `; messages go to standard error. Output is coloured on a terminal only, and never if
  ` + "`NO_COLOR`" + ` is set.
- **Compiled modules** are kept in ` + "`crosswalk`" + ` below the user's cache directory (` + "`$XDG_CACHE_HOME`, or `~/.cache`" + `), on Linux, so that the next
  command with the same module starts at once. Like the gateway's ` + "`--compile-cache`" + `, the cache holds code that this very program compiled,
  sealed, in a directory that no other user can write; a directory that another user can write is not used. ` + "`check`" + ` compiles every time.
- **kubectl**: a copy of, or a link to, the program named kubectl-crosswalk in PATH works as ` + "`kubectl crosswalk`" + `.
`

// exampleTest is the annotation of a command whose examples need more than files, such as a
// cluster: the test that runs them. The value names it for readers.
const exampleTest = "crosswalk/example-test"

// liveExample is the annotation of a command of which the examples with --live need a cluster: the
// test that runs them.
const liveExample = "crosswalk/live-example-test"
