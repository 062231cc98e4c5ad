// Command crosswalk is for those who write converter modules and those who run them: it starts a new converter, tries one out,
// and says whether a gateway would serve it. It talks to no cluster.
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

// What the process ends with.
const (
	exitOK      = 0
	exitFailure = 1 // a module did not do what it should, or something could not be read or written
	exitUsage   = 2
)

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// command is one of the things that crosswalk can do.
type command struct {
	name    string
	args    string // after the name, as usage shows it
	short   string // one line
	long    string // after the usage line; ends with a newline
	example string
	// setUp declares flags and returns what runs once they are parsed.
	setUp func(flags *pflag.FlagSet) func(ctx context.Context, s streams, args []string) error
}

func commands() []command {
	return []command{initCommand(), adoptCommand(), checkCommand(), convertCommand(), conformanceCommand(), inspectCommand(), graphCommand()}
}

// usageError is a command line that cannot be carried out.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errFailed ends the process with exitFailure; what failed has been said already.
var errFailed = errors.New("failed")

func main() {
	if len(os.Args) == 2 && os.Args[1] == module.VetArgument {
		os.Exit(module.VetMain(os.Stdin, os.Stdout)) // a child of check: it loads one module where that can do no harm
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:]))
}

// run carries out one command line and returns the exit code.
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

// inWords says of a flag's bad value what a good one is, where pflag quotes the standard library.
func inWords(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	switch invalid.GetFlag().Value.Type() {
	case "int", "int64":
		return fmt.Errorf("--%s %q is no whole number", invalid.GetFlag().Name, invalid.GetValue())
	case "duration":
		return fmt.Errorf("--%s %q is no time: write a number with its unit, such as 500ms or 5s", invalid.GetFlag().Name, invalid.GetValue())
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
	b.WriteString("crosswalk makes, tries and checks converter modules for the Crosswalk gateway.\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-12s %s\n", c.name, c.short)
	}
	b.WriteString("  version      print the version of this program\n")
	b.WriteString("\ncrosswalk COMMAND --help says more about one.\n")
	return b.String()
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "of unknown version"
	}
	return info.Main.Version + " " + info.GoVersion
}
