// Command gateway serves conversion webhooks for CustomResourceDefinitions from a directory of
// WebAssembly modules.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Exit codes of the process.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2

	exitSignalled = 128 // plus the number of the second signal, as in shells
)

func main() { os.Exit(execute(os.Args[1:], fixedTimes())) }

// execute is the whole process: a gateway, or a child process of one. It returns the exit code.
func execute(args []string, t times) int {
	if len(args) == 1 && args[0] == load.VetArgument {
		return load.VetMain(os.Stdin, os.Stdout) // loads one new module, under resource limits
	}
	if len(args) == 1 && args[0] == schemas.ChildArgument {
		return schemas.ChildMain(os.Stdin, os.Stdout) // reads one CustomResourceDefinition, likewise
	}
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 3) // room for signals that arrive together
	signal.Notify(signals, endings()...)
	go func() { // ends with the process
		first := <-signals
		cancel()
		second := nextSignal(signals, first, sameSignalWindow)
		fmt.Fprintln(os.Stderr, "gateway: second signal, exiting immediately")
		os.Exit(exitSignalled + int(second.(syscall.Signal)))
	}()
	return run(ctx, args, t, os.Stdout, os.Stderr)
}

// endings returns the signals that drain the gateway. SIGHUP does, because it says that a terminal was
// closed, and a gateway that ignored it would keep its port without anybody to stop it. It does not
// mean "reload" here: the gateway follows its files by itself. nohup(1) ignores it for the process.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// sameSignalWindow: a repeat of a signal within this window is a duplicate delivery. timeout(1),
// terminals and process supervisors send a signal to the process and to its group. The window is
// longer than that takes, and shorter than a person needs to send a second signal.
const sameSignalWindow = 100 * time.Millisecond

// nextSignal returns the next signal that is not a duplicate delivery of the first one.
func nextSignal(signals <-chan os.Signal, first os.Signal, window time.Duration) os.Signal {
	since := time.Now()
	for {
		if next := <-signals; next != first || time.Since(since) >= window {
			return next
		}
	}
}

// run parses the command line and serves until ctx ends and the last review is answered. It returns
// the exit code.
func run(ctx context.Context, args []string, t times, stdout, stderr io.Writer) int {
	options, err := parseFlags(args, t)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		_, _ = io.WriteString(stdout, help())
		return exitOK
	case err != nil:
		_, _ = fmt.Fprintf(stderr, "gateway: %v (gateway --help lists all flags)\n", err)
		return exitUsage
	case options.version:
		_, _ = fmt.Fprintf(stdout, "crosswalk gateway %v, ABI %d\n", buildinfo.Read(), module.ABI)
		return exitOK
	}
	logger := newLogger(stderr, options)
	if err := serveReviews(ctx, options, logger, stdout); err != nil {
		logger.Error("exiting with error", "err", err)
		return exitFailure
	}
	return exitOK
}
