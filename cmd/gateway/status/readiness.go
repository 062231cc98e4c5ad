package status

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// ReadinessConfig says which conversions a gateway needs to be ready. All fields but Schemas and
// Required are required.
type ReadinessConfig struct {
	Modules  *runtime.Registry
	Schemas  *schemas.Schemas // nil with --schema-check=off
	Routes   func() *host.Routes
	Loading  func(group, kind string) host.Loading
	Required []artifact.Edge // by --require
	// Owners reports that there are several owners of modules. Then the definitions of one owner do
	// not keep the gateway from becoming ready for the others.
	Owners bool
}

// Readiness decides when the gateway becomes ready: when the registry is, see runtime.Registry, and
// when modules do all conversions that --require and the CustomResourceDefinitions beside the
// modules need. The gateway then stays ready: if it became unready when it lost one conversion, all
// its other conversions would become unavailable too. Readiness is safe for concurrent use.
type Readiness struct {
	config ReadinessConfig
	was    atomic.Bool
}

// NewReadiness returns the Readiness of a gateway that starts.
func NewReadiness(config ReadinessConfig) *Readiness { return &Readiness{config: config} }

// Check returns the reason why the gateway is not ready yet; nil once it was ready.
func (r *Readiness) Check() error {
	if r.was.Load() {
		return nil
	}
	if err := r.loading(); err != nil {
		return fmt.Errorf("starting: %w", err)
	}
	var missing []string
	for _, c := range r.decisive() {
		if c.Err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", c.Name, c.Err))
		}
	}
	switch n := len(missing); {
	case n == 1:
		return errors.New("starting: conversions are missing: " + missing[0])
	case n > 1: // every rejected review has this text
		return fmt.Errorf("starting: conversions are missing: %s; and %d more, which /readyz?verbose lists", missing[0], n-1)
	}
	r.was.Store(true)
	return nil
}

// Checks returns the list of /readyz?verbose. A check fails while something is missing, even if the
// gateway was ready once.
func (r *Readiness) Checks() []serve.Check {
	return append([]serve.Check{{Name: "modules", Err: r.loading()}}, r.needs()...)
}

// loading returns the reason why the first scan of the module directory is not complete; nil if it
// is.
func (r *Readiness) loading() error {
	if r.config.Modules.Ready() && r.config.Schemas.WasRead() {
		return r.config.Schemas.Incomplete()
	}
	if r.config.Modules.Ready() {
		return errors.New("definitions are being read")
	}
	if problem := r.config.Modules.Problem(); problem != "" {
		return errors.New(problem)
	}
	why := r.config.Modules.Starting()
	if why == nil {
		why = errors.New("modules are loading")
	}
	if n := r.config.Modules.Waiting(); n > 0 {
		return fmt.Errorf("%w; in the queue: %d", why, n)
	}
	return why
}

// needs returns a check for each conversion of --require and for each file with a
// CustomResourceDefinition.
func (r *Readiness) needs() (checks []serve.Check) {
	return append(r.required(), r.config.Schemas.Checks()...)
}

// decisive returns the checks that decide when the gateway becomes ready.
func (r *Readiness) decisive() []serve.Check {
	if r.config.Owners {
		return r.required()
	}
	return r.needs()
}

// required returns a check for each conversion of --require.
func (r *Readiness) required() (checks []serve.Check) {
	routes := r.config.Routes()
	for _, e := range r.config.Required {
		c := serve.Check{Name: "--require " + e.Kind + "." + e.Group + "_" + e.From + "_to_" + e.To}
		if routes.Path(e.Group, e.Kind, e.From, e.To) == nil {
			c.Err = errors.New(routes.Missing(e.Group, e.Kind, e.From, e.To, r.config.Loading(e.Group, e.Kind)))
		}
		checks = append(checks, c)
	}
	return checks
}

// Early returns a function that reports whether the gateway may convert a review before it is
// ready, if the modules for it are loaded. It must not if schemas are enforced and the gateway does
// not know yet which definitions there are.
func (r *Readiness) Early(enforce bool) func() bool {
	return func() bool { return !enforce || r.config.Schemas.Known() && r.config.Schemas.Incomplete() == nil }
}

// missingByKind returns the conversions of --require that no module does, by kind, for the status
// page.
func (r *Readiness) missingByKind() map[string][]string {
	all := map[string][]string{}
	routes := r.config.Routes()
	for _, e := range r.config.Required {
		if routes.Path(e.Group, e.Kind, e.From, e.To) == nil {
			kind := e.Kind + "." + e.Group
			all[kind] = append(all[kind], "--require demands "+e.From+" to "+e.To)
		}
	}
	return all
}
