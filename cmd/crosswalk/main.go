// Command crosswalk is the tool for authors and operators of converter modules: it creates
// converter projects, runs modules, and checks whether a gateway would serve them. README.md in
// this directory says how to add a command.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == load.VetArgument {
		os.Exit(load.VetMain(os.Stdin, os.Stdout)) // a child process of check, which loads one module under limits
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a command that does not end by the first signal ends by the second
	os.Exit(run(ctx, command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, displayName(os.Args[0]), os.Args[1:]))
}

// displayName returns the name by which the user started the program: "kubectl crosswalk" for
// kubectl-crosswalk, which kubectl runs as its plugin.
func displayName(program string) string {
	if strings.TrimSuffix(filepath.Base(program), ".exe") == "kubectl-crosswalk" {
		return "kubectl crosswalk"
	}
	return "crosswalk"
}

// run executes a command line and returns the exit code. Messages, and results on a terminal, have
// text of others, which must not control the terminal; results in a file or pipe are as they are.
func run(ctx context.Context, s command.Streams, name string, args []string) int {
	s.Err = output.Screen(s.Err)
	if output.IsTerminal(s.Out) {
		s.Out = output.Screen(s.Out)
	}
	root := newRoot(s, name)
	if args == nil {
		args = []string{} // cobra reads os.Args otherwise
	}
	root.SetArgs(args)
	if cmd, rest, err := root.Find(args); err == nil && cmd == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && !isCompletion(rest[0]) {
		if now := removedCommands()[rest[0]]; now != "" {
			_, _ = fmt.Fprintf(s.Err, "%s: %s is now %[1]s %[3]s (%[1]s %[4]s --help says more)\n", name, rest[0], now, strings.Fields(now)[0])
			return command.ExitError
		}
		_, _ = fmt.Fprintf(s.Err, "%s: %q is not a command%s (%[1]s --help lists them)\n", name, rest[0], didYouMean(rest[0], commandNames(root)))
		return command.ExitError
	}
	cmd, err := root.ExecuteContextC(ctx)
	return exitCode(ctx, s.Err, cmd.CommandPath(), err)
}

// maxError bounds the text of an error, of which an API server or a registry may have written the most.
const maxError = 64 << 10

// exitCode prints the error of a command, and returns the exit code.
func exitCode(ctx context.Context, to io.Writer, path string, err error) int {
	var usage command.UsageError
	var found command.Finding
	var early *attach.Interrupted
	if err == nil {
		return command.ExitOK
	}
	text := foreign.Shorten(err.Error(), maxError)
	switch {
	case errors.Is(err, command.ErrFound):
		return command.ExitFinding
	case errors.Is(err, command.ErrUsageShown):
		return command.ExitError
	case ctx.Err() != nil && errors.As(err, &early): // the text says how to go on
		_, _ = fmt.Fprintf(to, "%s: %s\n", path, text)
		return command.ExitInterrupted
	case ctx.Err() != nil:
		_, _ = fmt.Fprintf(to, "%s: interrupted\n", path)
		return command.ExitInterrupted
	case errors.As(err, &found):
		_, _ = fmt.Fprintf(to, "%s: %s\n", path, text)
		return cmp.Or(found.Code, command.ExitFinding)
	case errors.As(err, &usage):
		_, _ = fmt.Fprintf(to, "%s: %s (%[1]s --help says more)\n", path, text)
	default:
		_, _ = fmt.Fprintf(to, "%s: %s\n", path, text)
	}
	return command.ExitError
}

// isCompletion reports whether a shell asks for completions, by a command that cobra adds.
func isCompletion(arg string) bool {
	return arg == cobra.ShellCompRequestCmd || arg == cobra.ShellCompNoDescRequestCmd
}
