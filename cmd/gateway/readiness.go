package main

import (
	"github.com/crosswalk-gateway/crosswalk/host/serve"

	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// readiness says when the gateway is ready for the first time: each file of the module directory was loaded, refused or, because it takes
// long, put last, and what --require and the CustomResourceDefinitions beside the modules demand is there. Once it was ready it stays so: to take out of service a gateway that has
// lost one conversion would lose all others too. It may be used by many goroutines at once.
type readiness struct {
	modules  *runtime.Registry
	schemas  *schemas // nil with --schema-check=off
	routes   func() *host.Routes
	loads    func(group, kind string) host.Loading
	required []runtime.Edge
	was      atomic.Bool
}

// check says why the gateway is not ready yet; nil once it was.
func (r *readiness) check() error {
	if r.was.Load() {
		return nil
	}
	if err := r.loading(); err != nil {
		return fmt.Errorf("starting: %w", err)
	}
	var missing []string
	for _, c := range r.demands() {
		if c.Err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", c.Name, c.Err))
		}
	}
	switch n := len(missing); {
	case n == 1:
		return errors.New("starting: conversions are missing: " + missing[0])
	case n > 1: // every review that is put off has this text
		return fmt.Errorf("starting: conversions are missing: %s; and %d more, which /readyz?verbose lists", missing[0], n-1)
	}
	r.was.Store(true)
	return nil
}

// checks are what /readyz?verbose lists. What is missing is listed for as long as it is, even though the gateway was ready once.
func (r *readiness) checks() []serve.Check {
	return append([]serve.Check{{Name: "modules", Err: r.loading()}}, r.demands()...)
}

// loading says why the module directory has not been gone through yet; nil if it has.
func (r *readiness) loading() error {
	if r.modules.Ready() && r.schemas.wasRead() {
		return r.schemas.incomplete()
	}
	if problem := r.modules.Problem(); problem != "" {
		return errors.New(problem)
	}
	if n := r.modules.Waiting(); n > 0 {
		return fmt.Errorf("modules are loading; %d are queued", n)
	}
	return errors.New("modules are loading")
}

// demands are a check for each conversion of --require and for each file with a CustomResourceDefinition.
func (r *readiness) demands() []serve.Check {
	checks := requireChecks(r.required, r.routes(), r.loads)
	return append(checks, r.schemas.checks()...)
}

func requireChecks(required []runtime.Edge, routes *host.Routes, loads func(group, kind string) host.Loading) []serve.Check {
	var checks []serve.Check
	for _, e := range required {
		c := serve.Check{Name: "--require " + e.Kind + "." + e.Group + "_" + e.From + "_to_" + e.To}
		if routes.Path(e.Group, e.Kind, e.From, e.To) == nil {
			c.Err = errors.New(routes.Missing(e.Group, e.Kind, e.From, e.To, loads(e.Group, e.Kind)))
		}
		checks = append(checks, c)
	}
	return checks
}

// early says whether a review may be converted before the gateway is ready, if the modules for it are there: not where its answer must be
// held against a schema that may not have been read yet.
func (r *readiness) early(enforce bool) func() bool {
	return func() bool { return !enforce || r.schemas.wasRead() && r.schemas.incomplete() == nil }
}

// missingByKind are the conversions of --require that no modules do, by kind, for the status page.
func (r *readiness) missingByKind() map[string][]string {
	all := map[string][]string{}
	routes := r.routes()
	for _, e := range r.required {
		if routes.Path(e.Group, e.Kind, e.From, e.To) == nil {
			kind := e.Kind + "." + e.Group
			all[kind] = append(all[kind], "--require demands "+e.From+" to "+e.To)
		}
	}
	return all
}

// requiredMetric is registered whether or not anything is required, so that it can be alerted on.
func requiredMetric(required []runtime.Edge, routes func() *host.Routes) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "crosswalk_required_conversions_missing",
		Help: "Conversions of --require that no module provides.",
	}, func() float64 {
		missing, now := 0, routes()
		for _, e := range required {
			if now.Path(e.Group, e.Kind, e.From, e.To) == nil {
				missing++
			}
		}
		return float64(missing)
	})
}

// parseRequired reads the values of --require, which are written like the names of modules: with two versions or more for every way
// between them, with _to_ for one.
func parseRequired(values []string) (edges []runtime.Edge, err error) {
	for _, v := range values {
		name, err := runtime.ParseName(v + ".wasm")
		if err != nil {
			return nil, fmt.Errorf("--require %s: %s", v, strings.TrimPrefix(err.Error(), fmt.Sprintf("file name %q: ", v+".wasm")))
		}
		edges = append(edges, name.Edges()...)
	}
	return edges, nil
}
