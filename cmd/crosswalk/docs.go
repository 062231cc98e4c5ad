package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

func docsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "docs", Short: "write the reference of all commands",
		Long:    "Writes the help of all commands as one page of Markdown, docs/use/cli.md of the repository.",
		Example: "crosswalk docs > cli.md",
		Args:    command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), reference(cmd.Root()))
			return err
		},
	}
}

// reference returns docs/use/cli.md.
func reference(root *cobra.Command) string {
	var b strings.Builder
	shared := sharedFlags(root)
	fmt.Fprintf(&b, referenceHead, shared.FlagUsagesWrapped(110))
	for _, g := range root.Groups() {
		list := commandsIn(root, g.ID)
		if len(list) == 0 {
			continue
		}
		links := make([]string, len(list))
		for i, c := range list {
			links[i] = fmt.Sprintf("[%s](#crosswalk-%s)", c.Name(), c.Name())
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", strings.TrimSuffix(g.Title, ":"), strings.Join(links, " · "))
		for _, c := range list {
			fmt.Fprintf(&b, "\n### crosswalk %s\n\n%s\n", c.Name(), strings.TrimSpace(c.Long))
			fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.TrimSpace(c.UseLine()))
			if c.Example != "" {
				fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.TrimSpace(c.Example))
			}
			own, names := ownFlags(c, shared)
			if usages := own.FlagUsagesWrapped(110); usages != "" {
				fmt.Fprintf(&b, "\n```\n%s```\n", usages)
			}
			if len(names) > 0 {
				fmt.Fprintf(&b, "\n[Shared flags](#flags-of-several-commands): %s.\n", strings.Join(names, ", "))
			}
		}
	}
	return b.String()
}

// manyCommands is the number of commands from which on the page has a flag once, for all of them.
const manyCommands = 4

// sharedFlags returns the flags that many commands have with the same text and default.
func sharedFlags(root *cobra.Command) *pflag.FlagSet {
	var all []*pflag.Flag
	for _, g := range root.Groups() {
		for _, c := range commandsIn(root, g.ID) {
			flags, limits := flagsOf(c)
			for _, set := range []*pflag.FlagSet{flags, limits} {
				set.VisitAll(func(f *pflag.Flag) { all = append(all, f) })
			}
		}
	}
	count := map[string]int{}
	for _, f := range all {
		count[textOf(f)]++
	}
	shared := pflag.NewFlagSet("", pflag.ContinueOnError)
	shared.SortFlags = false
	for _, f := range all {
		if count[textOf(f)] >= manyCommands && shared.Lookup(f.Name) == nil {
			shared.AddFlag(f)
		}
	}
	return shared
}

// ownFlags returns the flags of a command without the shared ones, and the names of these. The
// limits of modules have one name.
func ownFlags(c *cobra.Command, shared *pflag.FlagSet) (own *pflag.FlagSet, names []string) {
	own = pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = false
	flags, limits := flagsOf(c)
	limited := false
	for _, set := range []*pflag.FlagSet{flags, limits} {
		set.VisitAll(func(f *pflag.Flag) {
			other := shared.Lookup(f.Name)
			switch {
			case other == nil || textOf(other) != textOf(f):
				own.AddFlag(f)
			case set == limits:
				limited = true
			default:
				names = append(names, "`--"+f.Name+"`")
			}
		})
	}
	if limited {
		names = append(names, "limits")
	}
	return own, names
}

// textOf is all that a reader sees of a flag.
func textOf(f *pflag.Flag) string {
	return f.Shorthand + " " + f.Name + " " + f.DefValue + " " + f.Usage
}

const referenceHead = `# The crosswalk command

The help of all commands, as ` + "`crosswalk docs`" + ` writes it.

## Conventions

- **Exit codes**: 0 if everything passed, 1 if the command found a fault in a module, an object or a definition, 2 if the command line is
  wrong, a file is missing, or the tool failed, 130 if it was interrupted.
- **Modules** are arguments: files, or directories, which stand for all modules in them, as a gateway serves them.
- **Objects** come from ` + "`-f FILE|DIR|-`" + `, which is repeatable: YAML or JSON, one document or many, lists, and ConversionReviews. A directory
  stands for its .yaml, .yml and .json files, and - for standard input.
- **Definitions** come from ` + "`--crd FILE`" + `: a CustomResourceDefinition or a Crossplane CompositeResourceDefinition, alone or among other
  documents, such as an operator's release manifest.
- **Results** go to standard output, in the form of ` + "`-o`" + `; messages go to standard error. Output is coloured on a terminal only, and never if
  ` + "`NO_COLOR`" + ` is set.
- **Compiled modules** are kept in ` + "`crosswalk`" + ` below the user's cache directory (` + "`$XDG_CACHE_HOME`, or `~/.cache`" + `), on Linux. Like the gateway's
  ` + "`--compile-cache`" + `, the cache holds code that this very program compiled, sealed. ` + "`check`" + ` compiles every time.
- **kubectl**: a copy of, or a link to, the program named kubectl-crosswalk in PATH works as ` + "`kubectl crosswalk`" + `.

## Flags of several commands

Those with SIZE, INSTRUCTIONS or TIME are the limits of modules, as a gateway has them.

` + "```\n%s```\n"
