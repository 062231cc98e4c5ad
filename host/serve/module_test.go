package serve

import (
	"strings"
	"sync"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/host"
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
func edges(m *funcModule, list ...string) []host.Edge {
	var all []host.Edge
	for _, e := range list {
		from, to, _ := strings.Cut(e, "→")
		if m.File == "" {
			m.File = "CronTab.stable.example.com_" + from + "_" + to + ".wasm"
		}
		all = append(all, host.Edge{Group: "stable.example.com", Kind: "CronTab", From: from, To: to, Module: m})
	}
	return all
}

// fixedModules is a set of modules that never changes, and counts its users.
type fixedModules struct {
	routes  *host.Routes
	loading host.Loading // of every kind

	mu             sync.Mutex
	pins, releases int // guarded by mu while reviews run
}

func (f *fixedModules) Loading(string, string) host.Loading { return f.loading }

func (f *fixedModules) Pin() (*host.Routes, func()) {
	f.count(&f.pins)
	return f.routes, func() { f.count(&f.releases) }
}

func (f *fixedModules) Missed(_, _ string) {}

func (f *fixedModules) count(n *int) {
	f.mu.Lock()
	*n++
	f.mu.Unlock()
}

// converter returns a host.Converter over the edges.
func converter(edges ...host.Edge) *host.Converter {
	return newConverter(host.ConverterConfig{Modules: &fixedModules{routes: host.NewRoutes(edges)}})
}

// outcomeOf runs a review and returns its outcome.
func outcomeOf(t *testing.T, c *host.Converter, body string) host.Outcome {
	t.Helper()
	_, outcome, err := c.Review(t.Context(), []byte(body))
	if err != nil {
		t.Fatalf("HTTP 400: %s", err.Error())
	}
	return outcome
}

// newConverter returns a Converter for a configuration that is known to be complete.
func newConverter(cfg host.ConverterConfig) *host.Converter {
	c, err := host.NewConverter(cfg)
	if err != nil {
		panic(err)
	}
	return c
}
