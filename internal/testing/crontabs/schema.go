package crontabs

import (
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// definition is that of CronTab, whose v2 demands a metadata and a replica count; it has no v3.
const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"crontabs.stable.example.com"},
"spec":{"group":"stable.example.com","names":{"kind":"CronTab","plural":"crontabs"},"scope":"Namespaced","versions":[
{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","required":["apiVersion","kind","metadata","spec"],"properties":{
"spec":{"type":"object","required":["host"],"properties":{"host":{"type":"string","maxLength":9},"replicas":{"type":"integer"},"map":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}]}}`

// Schemas are host.Schemas with the schema of CronTab alone.
type Schemas struct{ CRD *schema.CRD }

// Find returns the schema of CronTab; nil for another kind.
func (s Schemas) Find(group, kind string) *schema.CRD {
	if group == s.CRD.Group && kind == s.CRD.Kind {
		return s.CRD
	}
	return nil
}

// Unread implements host.Schemas: there are no files.
func (Schemas) Unread(string, string) (string, time.Time) { return "", time.Time{} }

// Schema returns the schema of the definition.
func Schema(t testing.TB) Schemas {
	t.Helper()
	crd, err := schema.Parse([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	return Schemas{crd}
}

// CostlySchema returns a schema with an anyOf for each element of a list, of which only the last of
// 50,001 schemas fits: to check a list of a thousand elements takes more work than a review may
// cost.
func CostlySchema(t testing.TB) Schemas {
	t.Helper()
	parts := strings.Repeat(`{"maximum":0},`, 50_000) + `{"minimum":1}`
	text := strings.Replace(definition, `"replicas":{"type":"integer"}`, `"replicas":{"type":"integer"},"list":{"type":"array","items":{"type":"integer","anyOf":[`+parts+`]}}`, 1)
	crd, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Schemas{crd}
}
