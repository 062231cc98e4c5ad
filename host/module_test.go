package host

import (
	"context"
	"strings"
	"sync"
)

// funcModule is a Module made of a function that answers one object.
type funcModule struct {
	name string
	// one answers one object: with bytes, or with the words of a refusal.
	one func(from, to string, object []byte) (answer []byte, refusal string)
	// all, if set, answers the batch instead.
	all func(ctx context.Context, from, to string, objects [][]byte) ([][]byte, map[int]string, error)
	// fields are the paths that it declares for every version; nil: none.
	fields []string
}

func (m *funcModule) Fields(from, to string) []string { return m.fields }

func (m *funcModule) Name() string   { return m.name }
func (m *funcModule) Digest() string { return strings.Repeat("0123456789abcdef", 4) }

func (m *funcModule) Convert(ctx context.Context, from, to string, objects [][]byte) ([][]byte, map[int]string, error) {
	if m.all != nil {
		return m.all(ctx, from, to, objects)
	}
	out := make([][]byte, len(objects))
	var refused map[int]string
	for i, o := range objects {
		answer, refusal := m.one(from, to, o)
		if refusal != "" {
			if refused == nil {
				refused = map[int]string{}
			}
			refused[i] = refusal
			continue
		}
		out[i] = answer
	}
	return out, refused, nil
}

// answers returns a module that answers every object with the same bytes.
func answers(answer string) *funcModule {
	return &funcModule{one: func(_, _ string, _ []byte) ([]byte, string) { return []byte(answer), "" }}
}

// edges returns edges of CronTab.stable.example.com, each written "v1→v2", all served by one module, which is named for the first.
func edges(m *funcModule, list ...string) []Edge {
	var all []Edge
	for _, e := range list {
		from, to, _ := strings.Cut(e, "→")
		if m.name == "" {
			m.name = "CronTab.stable.example.com_" + from + "_" + to + ".wasm"
		}
		all = append(all, Edge{Group: "stable.example.com", Kind: "CronTab", From: from, To: to, Module: m})
	}
	return all
}

// fixedModules is a set of modules that never changes, and counts its users.
type fixedModules struct {
	routes  *Routes
	loading Loading // of every kind

	mu             sync.Mutex
	pins, releases int // guarded by mu while reviews run
}

func (f *fixedModules) Loading(string, string) Loading { return f.loading }

func (f *fixedModules) Pin() (*Routes, func()) {
	f.count(&f.pins)
	return f.routes, func() { f.count(&f.releases) }
}

func (f *fixedModules) Missed(_, _ string) {}

func (f *fixedModules) count(n *int) {
	f.mu.Lock()
	*n++
	f.mu.Unlock()
}

// converter returns a Converter over the edges.
func converter(edges ...Edge) *Converter {
	return NewConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges)}})
}

// reviewOf writes a review as an API server does, with the objects as they are.
func reviewOf(version, desired string, objects ...string) string {
	return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/` + version + `","request":{"uid":"u-1","desiredAPIVersion":"` + desired +
		`","objects":[` + strings.Join(objects, ",") + `]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}` + "\n"
}
