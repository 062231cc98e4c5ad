package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/cluster"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/operate"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/ship"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/verify"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/write"
	"github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// group is a group of commands in the help, of one package.
type group struct {
	id, title string
	commands  []*cobra.Command
}

// groups returns all commands, in the order of the help.
func groups() []group {
	return []group{
		{"write", "Write a converter:", write.Commands()},
		{"verify", "Verify it:", verify.Commands()},
		{"ship", "Ship it to a gateway:", ship.Commands()},
		{"operate", "Operate conversions in a cluster:", operate.Commands()},
		{"other", "Other commands:", []*cobra.Command{completionCommand(), docsCommand(), versionCommand()}},
	}
}

// newRoot returns the command crosswalk with all its commands.
func newRoot(s command.Streams, name string) *cobra.Command {
	root := &cobra.Command{
		Use:               "crosswalk COMMAND",
		Short:             "creates, runs and checks converter modules for the Crosswalk gateway",
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: name},
		SilenceErrors:     true,
		Args:              cobra.ArbitraryArgs, // run words the error for an unknown command
		SilenceUsage:      true,
		PersistentPreRunE: write.Sources,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, _ = io.WriteString(s.Err, helpOf(cmd))
			return command.ErrUsageShown
		},
	}
	version := root.Flags().Bool("version", false, "print the version of this program")
	root.PreRun = func(cmd *cobra.Command, _ []string) {
		if *version {
			cmd.RunE = versionCommand().RunE
		}
	}
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _, _ = io.WriteString(cmd.OutOrStdout(), helpOf(cmd)) })
	root.SetHelpCommand(helpCommand())
	cobra.EnableCommandSorting = false // the help has them in the order of groups
	for _, g := range groups() {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			c.Flags().SortFlags = false
			c.DisableFlagsInUseLine = true
			if c.Flags().Lookup("context") != nil {
				command.CompleteFlag(c, "context", cluster.CompleteContexts)
			}
			root.AddCommand(c)
		}
	}
	root.InitDefaultHelpCmd() // run looks for it
	return root
}

// commandNames returns the names of all commands for users, in the order of commands.
func commandNames(root *cobra.Command) []string {
	names := []string{"help"}
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "show the help of a command", Hidden: true,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, _, err := cmd.Root().Find(args)
			if len(args) == 1 && args[0] == "limits" {
				_, err := io.WriteString(cmd.OutOrStdout(), helpOfLimits(cmd.Root()))
				return err
			}
			if len(args) > 0 && removedCommands()[args[0]] != "" {
				return command.Usagef("%s is now crosswalk %s", args[0], removedCommands()[args[0]])
			}
			if err != nil || found == cmd.Root() && len(args) > 0 {
				return command.Usagef("%q is not a command%s", strings.Join(args, " "), didYouMean(strings.Join(args, " "), commandNames(cmd.Root())))
			}
			_, err = io.WriteString(cmd.OutOrStdout(), helpOf(found))
			return err
		},
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return commandNames(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// helpWidth is the width of the help in columns: that of a terminal which nobody widened.
const helpWidth = 80

// wrapped breaks the lines of each paragraph anew. Indented lines and lists stay as they are.
func wrapped(text string, width int) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString("\n\n")
		}
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") || strings.Contains(paragraph, "\n- ") {
			b.WriteString(paragraph)
			continue
		}
		column := 0
		for j, word := range strings.Fields(paragraph) {
			n := utf8.RuneCountInString(word)
			switch {
			case j > 0 && column+1+n > width:
				b.WriteByte('\n')
				column = 0
			case j > 0:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += n
		}
	}
	return b.String()
}

// helpOf returns the help of a command: what it does, its flags and examples.
func helpOf(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return helpOfRoot(cmd)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s.\n\nUsage: %s\n\n%s\n", cmd.CommandPath(), cmd.Short, cmd.UseLine(), wrapped(strings.TrimSpace(cmd.Long), helpWidth))
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", exampleOf(cmd))
	}
	flags, limits := flagsOf(cmd)
	if usages := flags.FlagUsagesWrapped(helpWidth); usages != "" {
		b.WriteString("\nFlags:\n" + usages)
	}
	if limits.HasFlags() {
		fmt.Fprintf(&b, "\nThe limits of modules are flags, too: see %s help limits.\n", cmd.Root().CommandPath())
	}
	return b.String()
}

func helpOfRoot(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s.\n", cmd.CommandPath(), cmd.Short)
	for _, g := range cmd.Groups() {
		first := true
		for _, c := range commandsIn(cmd, g.ID) {
			if first {
				fmt.Fprintf(&b, "\n%s\n", g.Title)
				first = false
			}
			fmt.Fprintf(&b, "  %-16s %s\n", c.Name(), c.Short)
		}
	}
	fmt.Fprintf(&b, "\nRun %[1]s COMMAND --help for details. %[1]s docs shows the pages that the help\nnames: %[1]s docs rules for docs/author/rules.md.\n", cmd.CommandPath())
	return b.String()
}

// helpOfLimits returns the help of the flags that each command which runs modules has.
func helpOfLimits(root *cobra.Command) string {
	for _, c := range root.Commands() {
		if _, limits := flagsOf(c); limits.HasFlags() {
			return "The limits of modules are flags of all commands that run modules, with the\ngateway's names and defaults:\n" + limits.FlagUsagesWrapped(helpWidth)
		}
	}
	return ""
}

// commandsIn returns the commands of a group for users, in the order of groups.
func commandsIn(root *cobra.Command, group string) (list []*cobra.Command) {
	for _, c := range root.Commands() {
		if c.GroupID == group && !c.Hidden {
			list = append(list, c)
		}
	}
	return list
}

// flagsOf returns the flags of a command for its help, without --help.
func flagsOf(cmd *cobra.Command) (flags, limits *pflag.FlagSet) {
	flags, limits = newFlagSet(), newFlagSet()
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Name == "help":
		case f.Annotations[command.LimitFlag] != nil:
			limits.AddFlag(f)
		default:
			flags.AddFlag(f)
		}
	})
	return flags, limits
}

var programWord = regexp.MustCompile(`(?m)(^|\| )crosswalk `)

// exampleOf returns the examples of a command, indented, with the name by which the user started
// the program.
func exampleOf(cmd *cobra.Command) string {
	text := programWord.ReplaceAllString(strings.TrimSpace(cmd.Example), "${1}"+cmd.Root().CommandPath()+" ")
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

func versionCommand() *cobra.Command {
	build, c := buildinfo.Read(), &cobra.Command{
		Use: "version", Short: "print the version of this program",
		Long: "Prints the version and revision of this program, the version of the ABI that it knows, and the version of Go that built it.", Args: command.NoArgs, Example: "crosswalk version\ncrosswalk version -o json",
	}
	format := output.Flag(c.Flags(), output.Table, output.JSON, output.YAML)
	command.CompleteFlag(c, "output", command.CompleteFormats(output.Table, output.JSON, output.YAML))
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if *format == output.Table {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "crosswalk %v, ABI %d\n", build, module.ABI)
			return err
		}
		return output.Write(cmd.OutOrStdout(), *format, map[string]any{"version": build.Version, "revision": build.Revision, "goVersion": build.GoVersion, "abi": module.ABI})
	}
	return c
}

// removedCommands returns the new form of each command that another one replaced. A release later,
// the names are unknown ones.
func removedCommands() map[string]string {
	return map[string]string{
		"bundle":      "compile INTERPRETER.wasm SCRIPT…",
		"conformance": "test",
		"crd-patch":   "attach --print",
		"graph":       "inspect --routes",
	}
}
