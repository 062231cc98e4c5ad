// Command gateway serves conversion webhooks for CustomResourceDefinitions out of a directory of WebAssembly modules.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/internal/statuspage"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// What the process ends with. Anything but a clean end or a wrong command line is exitFailure.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2

	exitSignalled = 128 // plus the number of a second signal, as a shell has it
)

func main() { os.Exit(gateway(os.Args[1:], fixedTimes())) }

// gateway is the whole process: a gateway, or the child of one. It returns the exit code.
func gateway(args []string, t times) int {
	if len(args) == 1 && args[0] == runtime.VetArgument {
		return runtime.VetMain(os.Stdin, os.Stdout) // a child of a gateway: it loads one new module where that can do no harm
	}
	if len(args) == 1 && args[0] == schemaArgument {
		return schemaMain(os.Stdin, os.Stdout) // likewise, for a CustomResourceDefinition
	}
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 3) // all may come before one is read
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() { // ends with the process
		first := <-signals
		cancel()
		second := another(signals, first, doubled)
		fmt.Fprintln(os.Stderr, "gateway: second signal, exiting immediately")
		os.Exit(exitSignalled + int(second.(syscall.Signal)))
	}()
	return run(ctx, args, t, os.Stdout, os.Stderr)
}

// doubled is how soon after a signal the same one is that signal still: timeout(1), terminals and whatever forwards signals send it to the process
// and to its group. It is longer than they take, and shorter than somebody who means it.
const doubled = 100 * time.Millisecond

// another returns the next signal that is not the first one delivered twice.
func another(signals <-chan os.Signal, first os.Signal, window time.Duration) os.Signal {
	since := time.Now()
	for {
		if next := <-signals; next != first || time.Since(since) >= window {
			return next
		}
	}
}

// run serves until ctx ends and what was under way is answered. It returns the exit code.
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
		_, _ = fmt.Fprintln(stdout, readBuild())
		return exitOK
	}
	logger := newLogger(stderr, options)
	if err := serveReviews(ctx, options, logger, stdout); err != nil {
		logger.Error("exiting with error", "err", err)
		return exitFailure
	}
	return exitOK
}

// serveReviews joins the packages: modules from a directory, a converter over them, a server around it.
func serveReviews(ctx context.Context, o *options, logger *slog.Logger, stdout io.Writer) error {
	if err := checkDirectory("--modules", o.modules); err != nil {
		return err
	}
	keys, err := verifyKeys(o.verifyKey)
	if err != nil {
		return err
	}
	code, err := o.compileCache(logger)
	if err != nil {
		return err
	}
	if code != nil {
		defer code.Close() // after all else, which is below
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), readBuild().metric())
	metrics := serve.NewMetrics(registry)

	reviews, admin, err := o.listeners()
	if err != nil {
		return err
	}
	defer reviews.Close() // for the ways out before the server closes them; closing twice does no harm
	if admin != nil {
		defer admin.Close()
	}
	certificates, err := o.certificates(reviews.Addr(), metrics, logger, stdout)
	if err != nil {
		return err
	}
	cache := host.NewCache(int64(o.cache))
	metrics.Cache(cache)
	current := &served{metrics: metrics, cache: cache}
	directory := o.registry(keys, code, logger, registry, current.replace)
	directory.First, directory.OnReady = o.required, current.loaded
	modules, err := runtime.New(directory)
	if err != nil {
		return fmt.Errorf("--modules %s: %w", o.modules, err)
	}
	current.want, current.loading = modules.Want, modules.Loading
	conversion := host.ConverterConfig{Modules: current, Cache: cache, Limits: o.limits(), EnforceSchemas: o.schemaCheck == schemaEnforce}
	var schemas *schemas
	if o.schemaCheck != schemaOff {
		schemas = newSchemas(o.modules, keys, o.times.Settle, o.times.Poll, logger, registry, current.routes, modules.Ready)
		schemas.enforce = conversion.EnforceSchemas
		conversion.Schemas, current.changed = schemas, schemas.compare
	}
	candidates, err := o.candidates(keys, code, modules, conversion, logger, registry)
	if err != nil {
		return err
	}
	if candidates != nil {
		conversion.Mirror = candidates.shadow
	}
	converter := host.NewConverter(conversion)
	config := o.server()
	config.Review, config.Recycle = converter.Review, converter.Recycle
	start := &readiness{modules: modules, schemas: schemas, routes: current.routes, loads: current.Loading, required: o.required}
	config.Ready, config.Checks, config.Early = start.check, start.checks, start.early(conversion.EnforceSchemas)
	registry.MustRegister(requiredMetric(o.required, current.routes))
	config.Modules = func() any { return directoryStatus(modules, schemas) }
	if candidates != nil {
		config.Shadow = candidates.status
	}
	config.Certificates, config.Metrics, config.Gatherer, config.Logger = certificates, metrics, registry, logger
	past := newHistory(metrics.Totals, modules.Status)
	config.Page = statuspage.Handler((&page{modules, schemas, current.routes, start, past, time.Now(), candidates}).view)
	server, err := serve.NewServer(config)
	if err != nil {
		return err
	}

	// What follows files goes on until the last review is answered, not only until ctx ends.
	following, unfollow := context.WithCancel(context.Background())
	var followers sync.WaitGroup
	defer followers.Wait()
	defer unfollow()
	followers.Go(func() { _ = modules.Run(following) }) // ends with following, and only then
	if candidates != nil {
		followers.Go(func() { _ = candidates.modules.Run(following) }) // ends with following
		followers.Go(func() { candidates.shadow.Run(following) })      // likewise
	}
	if schemas != nil {
		followers.Go(func() { schemas.run(following) }) // ends with following
	}
	followers.Go(func() { past.run(following) }) // ends with following
	follow(following, &followers, certificates, logger)

	if len(keys) > 0 {
		logger.Info("using only files that a signed SHA256SUMS lists", "keys", keys.String())
	}
	logger.Info("serving", o.summary(reviews, admin)...)
	return server.Run(ctx, reviews, admin)
}
