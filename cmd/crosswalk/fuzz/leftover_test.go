package fuzz

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestLeftovers fuzzes converters that keep spec.b in an annotation: one of them leaves an older
// annotation on an object without spec.b, so that a value that was taken away comes back.
func TestLeftovers(t *testing.T) {
	const key = "conversion.example.com/stash"
	d := kindOf(t, "Kept", `{type: object, properties: {spec: {type: object, properties: {a: {type: integer}, b: {type: string}}}}}`,
		`{type: object, properties: {spec: {type: object, properties: {a: {type: integer}}}}}`)
	for name, removes := range map[string]bool{"a leftover stays": false, "a leftover is removed": true} {
		m := inMemory{kind: "Kept", there: func(object map[string]any) error {
			spec, _ := object["spec"].(map[string]any)
			meta, _ := object["metadata"].(map[string]any)
			if b, ok := spec["b"]; ok {
				delete(spec, "b")
				if meta == nil {
					return nil
				}
				if annotationsOf(object) == nil {
					meta["annotations"] = map[string]any{}
				}
				text, err := json.Marshal(b)
				annotationsOf(object)[key] = string(text)
				return err
			}
			if removes {
				delete(annotationsOf(object), key)
			}
			return nil
		}, back: func(object map[string]any) error {
			text, ok := annotationsOf(object)[key].(string)
			if spec, _ := object["spec"].(map[string]any); ok && spec != nil {
				var b any
				if err := json.Unmarshal([]byte(text), &b); err != nil {
					return err
				}
				spec["b"] = b
			}
			delete(annotationsOf(object), key)
			return nil
		}}
		report, err := Run(t.Context(), Config{CRD: d.CRD, Modules: []Module{m}, Seed: 1, Objects: 400})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range report.Findings {
			found = found || f.Property == Stale && f.Path == "spec.b" && strings.Contains(f.Text(), "left over from a conversion to v2")
		}
		if found == removes {
			t.Errorf("%s: %v", name, report.Findings)
		}
	}
}

// TestGrowingAnnotation finds a converter that adds to an annotation of its own at each trip, and
// nothing in one that writes the same each time.
func TestGrowingAnnotation(t *testing.T) {
	const key = "conversion.example.com/trips"
	schema := `{type: object, properties: {spec: {type: object, properties: {a: {type: integer}}}}}`
	d := kindOf(t, "Grown", schema, schema)
	for _, grows := range []bool{false, true} {
		m := inMemory{kind: "Grown", there: func(object map[string]any) error {
			meta, ok := object["metadata"].(map[string]any)
			if !ok {
				return nil
			}
			if annotationsOf(object) == nil {
				meta["annotations"] = map[string]any{}
			}
			text, _ := annotationsOf(object)[key].(string)
			if grows || text == "" {
				annotationsOf(object)[key] = text + "v1 "
			}
			return nil
		}}
		report, err := Run(t.Context(), Config{CRD: d.CRD, Modules: []Module{m}, Seed: 1, Objects: 100})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range report.Findings {
			found = found || f.Property == Changed && f.Path == "metadata.annotations.*" && strings.Contains(f.Text(), "each way to v2 and back changes it")
		}
		if found != grows || !grows && len(report.Findings) > 0 {
			t.Errorf("it grows: %v: %v", grows, report.Findings)
		}
	}
}
