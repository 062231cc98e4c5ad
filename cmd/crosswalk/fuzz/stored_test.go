package fuzz

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestStoredObjectIsMadeSmall: the report of a stored object shows the smallest part that fails, and
// says how much of the object that is.
func TestStoredObjectIsMadeSmall(t *testing.T) {
	const schema = `{type: object, properties: {spec: {type: object, properties: {a: {type: integer}, b: {type: integer}, c: {type: integer}}}}}`
	m := inMemory{"Thing", inSpec(func(spec map[string]any) { delete(spec, "b") }), nil}
	for object, want := range map[string]string{`{"a":1,"b":2,"c":3}`: " (2 of its 4 fields)", `{"b":2}`: ""} {
		stored := func(yield func(json.RawMessage, error) bool) {
			yield(json.RawMessage(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x","namespace":"y"},"spec":`+object+`}`), nil)
		}
		report, err := Run(t.Context(), Config{CRD: kindOf(t, "Thing", schema, schema).CRD, Modules: []Module{m}, Stored: stored})
		if err != nil || len(report.Findings) != 1 {
			t.Fatalf("%v, %+v", err, report)
		}
		if text := report.Findings[0].Example(); !strings.HasSuffix(text, "}"+want) {
			t.Errorf("%s: %s, want it to end with %q", object, text, want)
		}
	}
}
