// Command crosswalk is the tool for authors and operators of converter modules: it creates
// converter projects, runs modules, and checks whether a gateway would serve them. It does not talk
// to a cluster.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // a module failed a check, or reading or writing failed
	exitUsage   = 2
)

// streams are the standard streams of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// command is one of crosswalk's commands.
type command struct {
	name    string
	args    string // after the name, as usage shows it
	short   string // one line
	long    string // after the usage line; ends with a newline
	example string
	// setUp declares the flags and returns the function to run after parsing them.
	setUp func(flags *pflag.FlagSet) func(ctx context.Context, s streams, args []string) error
}

func commands() []command {
	return []command{initCommand(), adoptCommand(), checkCommand(), convertCommand(), conformanceCommand(), inspectCommand(), graphCommand()}
}

// usageError is an error in the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errFailed ends the process with exitFailure without a message: the command has printed it.
var errFailed = errors.New("failed")

func main() {
	if len(os.Args) == 2 && os.Args[1] == module.VetArgument {
		os.Exit(module.VetMain(os.Stdin, os.Stdout)) // a child process of check, which loads one module under limits
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:]))
}

// run executes a command line and returns the exit code.
func run(ctx context.Context, s streams, args []string) int {
	if len(args) == 0 {
		_, _ = io.WriteString(s.err, help())
		return exitUsage
	}
	switch args[0] {
	case "help", "--help", "-h":
		if len(args) > 1 && args[0] == "help" {
			return run(ctx, s, []string{args[1], "--help"})
		}
		_, _ = io.WriteString(s.out, help())
		return exitOK
	case "version", "--version":
		_, _ = fmt.Fprintln(s.out, "crosswalk", version())
		return exitOK
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, s, args[1:])
		}
	}
	_, _ = fmt.Fprintf(s.err, "crosswalk: %q is not a command (crosswalk --help lists them)\n", args[0])
	return exitUsage
}

func (c command) run(ctx context.Context, s streams, args []string) int {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.Usage = func() {}
	flags.SortFlags = false
	do := c.setUp(flags)
	err := flags.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		_, _ = io.WriteString(s.out, c.help(flags))
		return exitOK
	}
	if err != nil {
		err = usageError{inWords(err)}
	} else {
		err = do(ctx, s, flags.Args())
	}
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		_, _ = fmt.Fprintf(s.err, "crosswalk %s: %v (crosswalk %[1]s --help says more)\n", c.name, err)
		return exitUsage
	case !errors.Is(err, errFailed):
		_, _ = fmt.Fprintf(s.err, "crosswalk %s: %v\n", c.name, err)
	}
	return exitFailure
}

// inWords states which values a flag accepts, where pflag's error quotes the standard library.
func inWords(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	switch invalid.GetFlag().Value.Type() {
	case "int", "int64":
		return fmt.Errorf("--%s must be an integer, not %q", invalid.GetFlag().Name, invalid.GetValue())
	case "duration":
		return fmt.Errorf("--%s must be a duration such as 500ms or 5s, not %q", invalid.GetFlag().Name, invalid.GetValue())
	}
	return err
}

func (c command) help(flags *pflag.FlagSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "crosswalk %s: %s.\n\nUsage: crosswalk %s %s\n\n%s", c.name, c.short, c.name, c.args, c.long)
	if usages := flags.FlagUsagesWrapped(110); usages != "" {
		b.WriteString("\nFlags:\n" + usages)
	}
	if c.example != "" {
		b.WriteString("\nExample:\n  " + c.example + "\n")
	}
	return b.String()
}

func help() string {
	var b strings.Builder
	b.WriteString("crosswalk creates, runs and checks converter modules for the Crosswalk gateway.\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-12s %s\n", c.name, c.short)
	}
	b.WriteString("  version      print the version of this program\n")
	b.WriteString("\nRun crosswalk COMMAND --help for details.\n")
	return b.String()
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "of unknown version"
	}
	return info.Main.Version + " " + info.GoVersion
}
