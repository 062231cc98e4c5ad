// Package crontabs has the module, schema, object and reviews of the kind CronTab that tests of
// host and host/serve share. It does not import package host, so that tests inside of host can
// import it.
package crontabs

import (
	"context"
	"strings"
)

// Module is a host.Module made of a function that answers one object.
type Module struct {
	File string // its file name
	// One answers one object: with bytes, or with the words of a refusal.
	One func(from, to string, object []byte) (answer []byte, refusal string)
	// All, if set, answers the batch instead.
	All func(ctx context.Context, from, to string, objects [][]byte) ([][]byte, map[int]string, error)
	// Paths are the paths that it declares for every version; nil: none.
	Paths []string
}

// Fields returns the declared paths.
func (m *Module) Fields(from, to string) []string { return m.Paths }

// Name returns the file name.
func (m *Module) Name() string { return m.File }

// Digest returns the same digest for every module.
func (m *Module) Digest() string { return strings.Repeat("0123456789abcdef", 4) }

// Convert answers with All if it is set, otherwise each object with One.
func (m *Module) Convert(ctx context.Context, from, to string, objects [][]byte) ([][]byte, map[int]string, error) {
	if m.All != nil {
		return m.All(ctx, from, to, objects)
	}
	out := make([][]byte, len(objects))
	var refused map[int]string
	for i, o := range objects {
		answer, refusal := m.One(from, to, o)
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

// Answers returns a module that answers every object with the same bytes.
func Answers(answer string) *Module {
	return &Module{One: func(_, _ string, _ []byte) ([]byte, string) { return []byte(answer), "" }}
}

// Review writes a review as an API server does, with the objects as they are.
func Review(version, desired string, objects ...string) string {
	return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/` + version + `","request":{"uid":"u-1","desiredAPIVersion":"` + desired +
		`","objects":[` + strings.Join(objects, ",") + `]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}` + "\n"
}

// FaultError is an error as the runtime returns it.
type FaultError struct{ Kind, Message string }

// Fault returns a *FaultError.
func Fault(kind, message string) *FaultError { return &FaultError{kind, message} }

func (e *FaultError) Error() string { return e.Message }

// Fault returns the kind.
func (e *FaultError) Fault() string { return e.Kind }

// Object says that the object is not known.
func (e *FaultError) Object() (int, bool) { return 0, false }

// Object is a CronTab in v1, as an API server sends it.
const Object = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"annotations":{"note":"hand-made"},"creationTimestamp":"2026-01-02T03:04:05Z",` +
	`"finalizers":["stable.example.com/hold"],"generation":7,"labels":{"app":"cron"},"managedFields":[{"manager":"kubectl"}],"name":"my-cron",` +
	`"namespace":"default","resourceVersion":"4711","uid":"8f9d2a34-0000-4000-8000-000000000001"},"spec":{"cronSpec":"* * * * */5","hostPort":"localhost:8080"}}`
