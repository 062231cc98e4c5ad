package host

import (
	"strings"
	"sync"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
)

// funcModule is the module of most tests.
type funcModule = crontabs.Module

// cron is an object as API servers send it, with a name, labels, and metadata that modules never
// see.
const cron = crontabs.Object

var (
	answers  = crontabs.Answers
	reviewOf = crontabs.Review
)

// edges returns edges of CronTab.stable.example.com, each written "v1→v2", all served by one
// module, which is named for the first.
func edges(m *funcModule, list ...string) []Edge {
	var all []Edge
	for _, e := range list {
		from, to, _ := strings.Cut(e, "→")
		if m.File == "" {
			m.File = "CronTab.stable.example.com_" + from + "_" + to + ".wasm"
		}
		all = append(all, Edge{Group: "stable.example.com", Kind: "CronTab", From: from, To: to, Module: m})
	}
	return all
}

// fixedModules is a set of modules that never changes, and counts its users.
type fixedModules struct {
	routes  *Routes
	loading Loading // of every kind
	missed  string  // the kind that was missed last

	mu             sync.Mutex
	pins, releases int // guarded by mu while reviews run
}

func (f *fixedModules) Loading(string, string) Loading { return f.loading }

func (f *fixedModules) Pin() (*Routes, func()) {
	f.count(&f.pins)
	return f.routes, func() { f.count(&f.releases) }
}

func (f *fixedModules) Missed(group, kind string) { f.missed = kind + "." + group }

func (f *fixedModules) count(n *int) {
	f.mu.Lock()
	*n++
	f.mu.Unlock()
}

// converter returns a Converter over the edges.
func converter(edges ...Edge) *Converter {
	return newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges)}})
}

// newConverter returns a Converter for a configuration that is known to be complete.
func newConverter(cfg ConverterConfig) *Converter {
	c, err := NewConverter(cfg)
	if err != nil {
		panic(err)
	}
	return c
}
