package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// TestHostileAnswers sends outputs of hostile modules through the whole gateway: they reach the API
// server only after the gateway has corrected them.
func TestHostileAnswers(t *testing.T) {
	const object = `{"apiVersion":"hostile.example.com/v1","kind":"KIND","metadata":{"name":"a","namespace":"n","resourceVersion":"7","finalizers":["c/d"]},"spec":{}}`
	const notJSON = "its answer is not strictly valid JSON: "
	tests := []struct {
		file, message string
		object        string // if there is no message
	}{
		{"a07_kind", `its answer has kind "Other"; a conversion may not change the kind`, ""},
		{"a07_name", "its answer changes metadata.name; name, namespace and uid must stay as they are or be left out", ""},
		{"a08_metadata", "", `{"apiVersion":"hostile.example.com/v2","kind":"KIND","metadata":{"name":"a","namespace":"n","resourceVersion":"7","finalizers":["c/d"]}}`},
		{"a09_label", `its answer has an invalid metadata.labels["a b"]: name part must consist of alphanumeric characters`, ""},
		{"a09_annotation", `its answer has metadata.annotations["a"] that is null, not a string`, ""},
		{"a10_duplicate", notJSON + `duplicate key "metadata" at byte 25`, ""},
		{"a10_case", `its answer has a top-level field "Metadata", which differs from metadata only by case`, ""},
		{"a11_utf8", notJSON + "invalid UTF-8 in a string at byte 9", ""},
		{"a11_surrogate", notJSON + `lone surrogate \ud800 at byte 9`, ""},
		{"a11_trailing", notJSON + "data after the end of the document at byte 3", ""},
		{"a12_number", notJSON + "number 1e400 is neither an int64 nor a finite float64 at byte 8", ""},
		{"a13_deep", notJSON + "nested deeper than 1000 levels at byte 1004", ""},
	}
	p := start(t, "--vet=false", "--probation", "0")
	kindOf := func(file string) string { return "K" + strings.ReplaceAll(file, "_", "x") }
	for _, tc := range tests {
		copyTo(t, filepath.Join("../../runtime/testdata", tc.file+".wasm"), filepath.Join(p.modules, kindOf(tc.file)+".hostile.example.com_v1_v2.wasm"))
	}
	p.waitReady(t)
	for _, tc := range tests {
		t.Run(tc.file, func(t *testing.T) {
			type reply struct {
				Response struct {
					ConvertedObjects []json.RawMessage
					Result           struct{ Status, Message string }
				}
			}
			var answer reply
			of := func(s string) string { return strings.ReplaceAll(s, "KIND", kindOf(tc.file)) }
			eventually.Succeeds(t, "the module to be loaded", func() error { // by one of several scans
				code, text, err := p.post(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-3","desiredAPIVersion":"hostile.example.com/v2","objects":[` + of(object) + `]}}`)
				if err == nil && code == 503 {
					return errors.New(text)
				}
				if err != nil || code != 200 {
					t.Fatalf("%d, %v: %s", code, err, text)
				}
				answer = reply{} // a success would keep the message of an earlier failure
				if err := json.Unmarshal([]byte(text), &answer); err != nil {
					t.Fatalf("%v: %s", err, text)
				}
				if message := answer.Response.Result.Message; strings.Contains(message, "no module converts") {
					return errors.New(message)
				}
				return nil
			})
			r := answer.Response
			if tc.message == "" {
				if r.Result.Status != "Success" || len(r.ConvertedObjects) != 1 || string(r.ConvertedObjects[0]) != of(tc.object) {
					t.Errorf("%s %s %s", r.Result.Status, r.Result.Message, r.ConvertedObjects)
				}
				return
			}
			if r.Result.Status != "Failed" || len(r.ConvertedObjects) != 0 || !strings.Contains(r.Result.Message, "broke the conversion contract: "+tc.message) {
				t.Errorf("%s with %s, and %d objects; want the message to say %s", r.Result.Status, r.Result.Message, len(r.ConvertedObjects), tc.message)
			}
		})
	}
}
