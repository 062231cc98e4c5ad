package serve

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/schema"
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
func edges(m *funcModule, list ...string) []host.Edge {
	var all []host.Edge
	for _, e := range list {
		from, to, _ := strings.Cut(e, "→")
		if m.name == "" {
			m.name = "CronTab.stable.example.com_" + from + "_" + to + ".wasm"
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
	return host.NewConverter(host.ConverterConfig{Modules: &fixedModules{routes: host.NewRoutes(edges)}})
}

// reviewOf writes a review as an API server does, with the objects as they are.
func reviewOf(version, desired string, objects ...string) string {
	return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/` + version + `","request":{"uid":"u-1","desiredAPIVersion":"` + desired +
		`","objects":[` + strings.Join(objects, ",") + `]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}` + "\n"
}

// outcomeOf runs a review and returns its outcome.
func outcomeOf(t *testing.T, c *host.Converter, body string) host.Outcome {
	t.Helper()
	_, outcome, err := c.Review(t.Context(), []byte(body))
	if err != nil {
		t.Fatalf("HTTP 400: %s", err.Message)
	}
	return outcome
}

// faultError is an error as the runtime returns it.
type faultError struct{ kind, text string }

func (e *faultError) Error() string       { return e.text }
func (e *faultError) Fault() string       { return e.kind }
func (e *faultError) Object() (int, bool) { return 0, false }

const cron = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"annotations":{"note":"hand-made"},"creationTimestamp":"2026-01-02T03:04:05Z",` +
	`"finalizers":["stable.example.com/hold"],"generation":7,"labels":{"app":"cron"},"managedFields":[{"manager":"kubectl"}],"name":"my-cron",` +
	`"namespace":"default","resourceVersion":"4711","uid":"8f9d2a34-0000-4000-8000-000000000001"},"spec":{"cronSpec":"* * * * */5","hostPort":"localhost:8080"}}`

// definition is that of CronTab, whose v2 demands a metadata and a replica count; it has no v3.
const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"crontabs.stable.example.com"},
"spec":{"group":"stable.example.com","names":{"kind":"CronTab","plural":"crontabs"},"scope":"Namespaced","versions":[
{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","required":["apiVersion","kind","metadata","spec"],"properties":{
"spec":{"type":"object","required":["host"],"properties":{"host":{"type":"string","maxLength":9},"replicas":{"type":"integer"},"map":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}]}}`

// oneSchema is the schema of CronTab alone.
type oneSchema struct{ crd *schema.CRD }

func (s oneSchema) Find(group, kind string) *schema.CRD {
	if group == s.crd.Group && kind == s.crd.Kind {
		return s.crd
	}
	return nil
}

func cronSchema(t *testing.T) oneSchema {
	t.Helper()
	crd, err := schema.Parse([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	return oneSchema{crd}
}

// costlySchema has an anyOf for each element of a list, of which only the last of 50,001 schemas fits: to check a list of a thousand elements
// takes more work than a review may cost.
func costlySchema(t *testing.T) oneSchema {
	t.Helper()
	parts := strings.Repeat(`{"maximum":0},`, 50_000) + `{"minimum":1}`
	text := strings.Replace(definition, `"replicas":{"type":"integer"}`, `"replicas":{"type":"integer"},"list":{"type":"array","items":{"type":"integer","anyOf":[`+parts+`]}}`, 1)
	crd, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return oneSchema{crd}
}
