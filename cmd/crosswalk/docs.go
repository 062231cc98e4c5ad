package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/docs"
)

func docsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "docs [PAGE[#SECTION]]", Short: "show a page of the documentation",
		Long: "Shows a page of the documentation of this version, as Markdown, or one section of it. Without a page it lists all pages. The gateway has the same pages below /docs/ on its admin port.\n\n" +
			"SECTION is written as in a link: lower-case, with - for spaces. The whole address of a page will do, such as runbook_url of an alert.",
		Example: "crosswalk docs\ncrosswalk docs failures | less\ncrosswalk docs flags-and-metrics#a-module-was-refused",
		Args:    cobra.ArbitraryArgs, // no page has the name of two words
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := documentation(cmd.Root(), strings.Join(args, " "))
			if err != nil {
				return command.Usagef("%w", err)
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
			for _, p := range docs.All() {
				names = append(names, p.Name())
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// documentation returns a page or a section, and the list of pages without a name.
func documentation(root *cobra.Command, name string) (string, error) {
	if name == "" {
		var b strings.Builder
		for _, p := range docs.All() {
			fmt.Fprintf(&b, "%-18s %s\n", p.Name(), p.Title())
		}
		return b.String(), nil
	}
	name, section, cut := strings.Cut(name, "#")
	page, err := docs.Find(name)
	if err != nil {
		return "", err
	}
	if page.Path == "use/cli.md" {
		page.Text = reference(root) // of which the file is a copy
	}
	if !cut {
		return page.Text, nil
	}
	return page.Section(section)
}

// reference returns docs/use/cli.md.
func reference(root *cobra.Command) string {
	var b strings.Builder
	shared, limits := sharedFlags(root)
	fmt.Fprintf(&b, referenceHead, shared.FlagUsagesWrapped(usageWidth), strings.Join(limits, ", "))
	for _, g := range root.Groups() {
		list := commandsIn(root, g.ID)
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range list {
			fmt.Fprintf(&b, "\n### crosswalk %s\n\n%s\n", c.Name(), guide.ReplaceAllString(strings.TrimSpace(c.Long), "[$2](../$1/$2.md)"))
			fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.TrimSpace(c.UseLine()))
			own, names := ownFlags(c, shared)
			if usages := own.FlagUsagesWrapped(usageWidth); usages != "" {
				fmt.Fprintf(&b, "\n```\n%s```\n", usages)
			}
			if len(names) > 0 {
				fmt.Fprintf(&b, "\n[Shared](#flags-of-several-commands): %s.\n", strings.Join(names, ", "))
			}
		}
	}
	return b.String()
}

// guide is a page for users that the help of a command names.
var guide = regexp.MustCompile(`docs/(author|use)/([a-z-]+)\.md`)

// usageWidth is the width of the flags in columns.
const usageWidth = 110

// sharedFlags returns the flags that several commands have with the same text and default, of the
// texts of one name the most frequent, and the names of the limits of modules.
func sharedFlags(root *cobra.Command) (shared *pflag.FlagSet, limits []string) {
	var all []*pflag.Flag
	count := map[string]int{}
	for _, g := range root.Groups() {
		for _, c := range commandsIn(root, g.ID) {
			flags, own := flagsOf(c)
			flags.VisitAll(func(f *pflag.Flag) {
				all = append(all, f)
				count[textOf(f)]++
			})
			if limits == nil {
				own.VisitAll(func(f *pflag.Flag) { limits = append(limits, "`--"+f.Name+"`") })
			}
		}
	}
	most := map[string]int{} // by name
	for _, f := range all {
		most[f.Name] = max(most[f.Name], count[textOf(f)])
	}
	shared = newFlagSet()
	for _, f := range all {
		if n := count[textOf(f)]; n > 1 && n == most[f.Name] && shared.Lookup(f.Name) == nil {
			shared.AddFlag(f)
		}
	}
	return shared, limits
}

// ownFlags returns the flags of a command without the shared ones, and the names of these. The
// limits of modules have one name.
func ownFlags(c *cobra.Command, shared *pflag.FlagSet) (own *pflag.FlagSet, names []string) {
	own = newFlagSet()
	flags, limits := flagsOf(c)
	flags.VisitAll(func(f *pflag.Flag) {
		other := shared.Lookup(f.Name)
		_, formats, format := strings.Cut(f.Usage, "`FORMAT` of the output: ") // compile's --output is a file
		switch {
		case other != nil && textOf(other) == textOf(f):
			names = append(names, "`--"+f.Name+"`")
		case other != nil && f.Name == "output" && format && !strings.Contains(formats, "("):
			names = append(names, "`--output` ("+formats+")")
		default:
			own.AddFlag(f)
		}
	})
	if limits.HasFlags() {
		names = append(names, "limits")
	}
	return own, names
}

func newFlagSet() *pflag.FlagSet {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	return set
}

// textOf is all that a reader sees of a flag.
func textOf(f *pflag.Flag) string {
	return f.Shorthand + " " + f.Name + " " + f.DefValue + " " + f.Usage
}

const referenceHead = `# The crosswalk command

The help of all commands, as ` + "`crosswalk docs cli`" + ` shows it, without the examples.

## Conventions

- **Exit codes**: 0 if everything passed, 1 if the command found a fault in a module, an object or a definition, 2 if the command line is
  wrong, a file is missing, or the tool failed, 3 if adopt did not find the operator's main, 130 if it was interrupted.
- **Modules** are files, or directories, which stand for all modules in them, as a gateway serves them.
- **Objects** come from ` + "`-f FILE|DIR|-`" + `: YAML or JSON, one document or many, lists, and ConversionReviews. A directory
  stands for its .yaml, .yml and .json files, and - for standard input.
- **Definitions** come from ` + "`--crd FILE`" + `: a CustomResourceDefinition or a Crossplane CompositeResourceDefinition, alone or among other
  documents. Beside a module, the definition has the name ` + "`<plural>.<group>.crd.yaml`" + `.
- **Results** go to standard output; messages go to standard error. Output is coloured on a terminal only, and never if
  ` + "`NO_COLOR`" + ` is set.
- **Compiled modules** are kept in ` + "`crosswalk`" + ` below the user's cache directory (` + "`$XDG_CACHE_HOME`, or `~/.cache`" + `), on Linux, sealed as in
  the gateway's ` + "`--compile-cache`" + `. ` + "`check`" + ` compiles every time.
- **kubectl**: a copy of, or a link to, the program named kubectl-crosswalk in PATH works as ` + "`kubectl crosswalk`" + `.

## Flags of several commands

` + "```\n%s```\n" + `
*Limits* are the limits of modules, with the gateway's [names and defaults](flags-and-metrics.md#modules): %s.
`
