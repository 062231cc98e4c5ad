package host

import (
	"bytes"
	"context"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
)

// benchDefinition fits benchObject.
const benchDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"crontabs.stable.example.com"},
"spec":{"group":"stable.example.com","names":{"kind":"CronTab","plural":"crontabs"},"scope":"Namespaced","versions":[{"name":"v2","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","required":["image"],"properties":{"cronSpec":{"type":"string","minLength":9},"image":{"type":"string"},"replicas":{"type":"integer","minimum":0},
"env":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"value":{"type":"string"}}}}}},
"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}`

// BenchmarkSchemaCheck is BenchmarkReview/1x3k with the check of a schema, and without.
func BenchmarkSchemaCheck(b *testing.B) {
	crd, err := schema.Parse([]byte(benchDefinition))
	if err != nil {
		b.Fatal(err)
	}
	m := &funcModule{File: "bench.wasm", One: func(_, _ string, object []byte) ([]byte, string) {
		return append([]byte(`{"apiVersion":"stable.example.com/v2","kind":"CronTab",`), object[bytes.Index(object, []byte(`"metadata"`)):]...), ""
	}}
	body := []byte(reviewOf("v1", "stable.example.com/v2", benchObject(0)))
	for name, schemas := range map[string]Schemas{"none": nil, "checked": crontabs.Schemas{CRD: crd}} {
		c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(edges(m, "v1→v2"))}, Schemas: schemas})
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, outcome, err := c.Review(context.Background(), body); err != nil || outcome.Failure != "" || outcome.Violation != "" {
					b.Fatal(err, outcome)
				}
			}
		})
	}
}
