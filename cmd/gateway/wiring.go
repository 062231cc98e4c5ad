package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/status"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// serveReviews opens files and ports, builds the gateway, and serves until ctx ends and the last
// review is answered.
func serveReviews(ctx context.Context, o *options, logger *slog.Logger, stdout io.Writer) error {
	for _, m := range o.owners {
		if err := checkDirectory("--modules", m.Dir); err != nil {
			return err
		}
	}
	if err := o.fitFiles(openFiles(), logger); err != nil {
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
		defer code.Close() // after all modules are closed
	}
	registerer := prometheus.NewRegistry()
	registerer.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), buildMetric(buildinfo.Read()))
	metrics := serve.NewMetrics(registerer)

	reviews, admin, err := o.listeners()
	if err != nil {
		return err
	}
	defer reviews.Close() // for the returns before the server closes them; closing twice is harmless
	if admin != nil {
		defer admin.Close()
	}
	certificates, err := o.certificates(reviews.Addr(), metrics, logger, stdout)
	if err != nil {
		return err
	}
	g, err := o.build(system{keys, code, certificates, metrics, registerer, logger})
	if err != nil {
		return err
	}

	if len(keys) > 0 {
		logger.Info("using only files that a signed SHA256SUMS lists", "keys", keys.String())
	}
	logger.Info("serving", o.summary(reviews, admin)...)

	// The followers of files run until the last review is answered, not only until ctx ends.
	following, unfollow := context.WithCancel(context.Background())
	var followers sync.WaitGroup
	defer followers.Wait()
	defer unfollow()
	g.follow(following, &followers)
	follow(following, &followers, certificates, logger)
	return g.server.Run(ctx, reviews, admin)
}

// system has the files, certificates and outputs that a gateway is built on.
type system struct {
	keys         sums.Keys        // may be nil
	code         *codecache.Cache // may be nil
	certificates *serve.Certificates
	metrics      *serve.Metrics
	registry     *prometheus.Registry
	logger       *slog.Logger
}

// layers are the parts of a gateway that run.
type layers struct {
	modules *runtime.Registry
	schemas *schemas.Schemas // nil with --schema-check=off
	history *status.History
	server  *serve.Server
}

// build builds the layers from the bottom up: each layer gets the layers below it, and no layer
// changes afterwards. The registry publishes sets of modules and scans of the directory to layers
// that exist before it.
func (o *options) build(s system) (*layers, error) {
	cache := host.NewCache(int64(o.cache))
	s.metrics.Cache(cache)
	current := &host.Sets{}
	owners := &kindOwners{}
	definitions := o.schemas(s, current.Routes, owners)
	cpus := newThreads()

	config := o.registry(s.keys, s.code, s.logger, s.registry, cpus)
	config.OnSet = func(set *runtime.Set) {
		owners.follow(set)
		definitions.Own()
		publish(current, set, s.metrics, cache)
		definitions.Compare()
	}
	config.OnReady = definitions.ModulesLoaded
	if definitions != nil {
		config.Subscriber = definitions
	}
	modules, err := runtime.New(config)
	if err != nil {
		return nil, fmt.Errorf("--modules: %w", err)
	}
	live := serving{current, modules}

	conversion := host.ConverterConfig{Modules: live, Cache: cache, Limits: o.limits(), EnforceSchemas: o.enforces(), Applied: true}
	if definitions != nil {
		conversion.Schemas = definitions
	}
	converter, err := host.NewConverter(conversion)
	if err != nil {
		return nil, err
	}

	readiness := status.NewReadiness(status.ReadinessConfig{
		Modules: modules, Schemas: definitions, Routes: current.Routes, Loading: live.Loading, Required: o.required, Owners: o.hasOwners(),
	})
	s.registry.MustRegister(status.RequiredMetric(o.required, current.Routes), status.PullMetric{Owners: o.owners})
	history := status.NewHistory(s.metrics.Totals, modules.Status)
	page := &status.Page{
		Version: buildinfo.Read().Version, Started: time.Now(), Owners: o.owners, Modules: modules, Schemas: definitions,
		Routes: current.Routes, Readiness: readiness, History: history,
		Certificate: func() (string, time.Time) { return s.certificates.Problem(), s.certificates.Expiry() },
		Untrusted:   s.metrics.Untrusted,
	}

	front := o.server()
	if o.hasOwners() {
		front.Owner = owners.ofAccount
	}
	front.Review, front.Recycle = cpus.watch(converter.Review), converter.Recycle
	front.Account, front.Namespace = converter.Account, converter.Namespace
	front.Ready, front.Checks, front.Early = readiness.Check, readiness.Checks, readiness.Early(o.enforces())
	front.Modules = page.Files
	front.Page = statuspage.Handler(page.View)
	front.Docs = documentation
	front.Certificates, front.Metrics, front.Gatherer, front.Logger = s.certificates, s.metrics, s.registry, s.logger
	server, err := serve.NewServer(front)
	if err != nil {
		return nil, err
	}
	return &layers{modules, definitions, history, server}, nil
}

// schemas returns the definitions beside the modules; nil with --schema-check=off.
func (o *options) schemas(s system, routes func() *host.Routes, owners *kindOwners) *schemas.Schemas {
	if o.schemaCheck == schemaOff {
		return nil
	}
	config := schemas.Config{
		Enforce: o.enforces(), Logger: s.logger, Registerer: s.registry, Routes: routes, Memory: int(o.maxDefinitions),
	}
	if o.hasOwners() {
		config.Owners, config.OwnerOf = len(o.owners), owners.of
	}
	return schemas.New(config)
}

// enforces reports whether a review fails if an object breaks its schema.
func (o *options) enforces() bool { return o.schemaCheck == schemaEnforce }

// follow starts following files, until ctx ends.
func (l *layers) follow(ctx context.Context, running *sync.WaitGroup) {
	running.Go(func() { _ = l.modules.Run(ctx) }) // ends with ctx, and only then
	running.Go(func() { l.schemas.Run(ctx) })     // ends with ctx
	running.Go(func() { l.history.Run(ctx) })     // ends with ctx
}
