package fuzz

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// inMemory is a converter in Go between v1 and v2 of a kind of example.com: there and back change an
// object in place; nil changes nothing. An error refuses the object.
type inMemory struct {
	kind        string
	there, back func(object map[string]any) error
}

func (m inMemory) Convert(_ context.Context, from, to string, objects [][]byte) (converted [][]byte, refused map[int]string, err error) {
	convert := m.there
	if strings.HasSuffix(from, "/v2") {
		convert = m.back
	}
	converted = make([][]byte, len(objects))
	for i, text := range objects {
		object, err := decode(text)
		if err != nil {
			return nil, nil, err
		}
		object["apiVersion"] = to
		if convert != nil {
			if err := convert(object); err != nil {
				if refused == nil {
					refused = map[int]string{}
				}
				refused[i] = err.Error()
				continue
			}
		}
		if converted[i], err = json.Marshal(object); err != nil {
			return nil, nil, err
		}
	}
	return converted, refused, nil
}

func (m inMemory) Name() string                  { return m.kind + ".example.com_v1_v2.wasm" }
func (m inMemory) Digest() string                { return strings.Repeat("0", 64) }
func (m inMemory) Fields(_, _ string) []string   { return nil }
func (m inMemory) Declared() map[string][]string { return nil }
func (m inMemory) Losses() []artifact.Loss       { return nil }
func (m inMemory) Cases() []module.Case          { return nil }
func (m inMemory) Edges() []artifact.Edge {
	return []artifact.Edge{{Group: "example.com", Kind: m.kind, From: "v1", To: "v2"}, {Group: "example.com", Kind: m.kind, From: "v2", To: "v1"}}
}

// kindOf returns the definition of a kind of example.com with the schemas of v1 and v2, in YAML's flow
// style.
func kindOf(t *testing.T, kind, v1, v2 string) definition.Definition {
	t.Helper()
	plural := strings.ToLower(kind) + "s"
	all, err := definition.Read([]byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ` + plural + `.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: ` + kind + `, plural: ` + plural + `}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: ` + v1 + `}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: ` + v2 + `}}
`))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// planted is a mistake in a converter whose versions have the same schema. It changes an object of v1
// and its spec on the way to v2.
type planted struct {
	name    string
	mistake func(o, p map[string]any)
}

// foundIn reports whether fuzz finds a mistake within so many objects, and how.
func foundIn(t *testing.T, d definition.Definition, objects int, words []string, mistake func(o, p map[string]any)) (found bool, text string) {
	t.Helper()
	m := inMemory{kind: d.CRD.Spec.Names.Kind}
	if mistake != nil {
		m.there = func(object map[string]any) error {
			if spec, ok := object["spec"].(map[string]any); ok {
				mistake(object, spec)
			}
			return nil
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	enough := errors.New("one finding is enough")
	report, err := Run(ctx, Config{CRD: d.CRD, Modules: []Module{m}, Words: words, Seed: 1, Objects: objects, Progress: func(_, findings int) {
		if findings > 0 {
			cancel(enough)
		}
	}})
	if err != nil && !errors.Is(err, enough) {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		text += f.Text() + "\n"
		found = found || strings.HasPrefix(f.Path, "spec.") || strings.HasPrefix(f.Path, "status.") || strings.HasPrefix(f.Path, "metadata.")
	}
	return found, text
}
