package shadow

import (
	"context"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// Directory has the modules of --shadow-modules and the results of running them. A nil *Directory,
// without modules, is valid.
type Directory struct {
	share    float64
	registry *runtime.Registry
	shadow   *Shadow
}

// NewDirectory joins a registry of shadow modules with the Shadow that runs them, and registers a
// metric.
func NewDirectory(share float64, registry *runtime.Registry, shadow *Shadow, registerer prometheus.Registerer) *Directory {
	registerer.MustRegister(LoadCollector{registry})
	return &Directory{share, registry, shadow}
}

// Mirror returns the host's side of d, nil if d is nil.
func (d *Directory) Mirror() host.Mirror {
	if d == nil {
		return nil
	}
	return d.shadow
}

// Run loads and runs shadow modules until ctx ends.
func (d *Directory) Run(ctx context.Context) {
	if d == nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { _ = d.registry.Run(ctx) }) // ends with ctx
	both.Go(func() { d.shadow.Run(ctx) })       // ends with ctx
	both.Wait()
}

// report is the content of /shadow.
type report struct {
	Share   float64          `json:"share"`   // of conversions that are sampled
	Edges   []Status         `json:"edges"`   // the results, for each conversion of a shadow module
	Modules []runtime.Status `json:"modules"` // the files, in the form of /modules
}

// Report returns the content of /shadow, for JSON.
func (d *Directory) Report() any {
	if d == nil {
		return struct{}{}
	}
	return report{d.share, d.shadow.Status(), d.registry.Status()}
}

// Results returns the result of each conversion of a shadow module.
func (d *Directory) Results() []Status {
	if d == nil {
		return nil
	}
	return d.shadow.Status()
}

// Modules returns the state of each file of the directory.
func (d *Directory) Modules() []runtime.Status {
	if d == nil {
		return nil
	}
	return d.registry.Status()
}
