// Package widgets has the definition of the kind Widget.example.com, for tests of cmd/gateway and
// the packages below it.
package widgets

import (
	"os"
	"path/filepath"
	"testing"
)

// Definition returns a definition of Widget.example.com whose v2 has spec.module of the given type.
func Definition(module string) string {
	return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {module: {type: ` + module + `}}}}}}
`
}

// File is the name of the definition's file.
const File = "widgets.example.com.crd.yaml"

// Put writes a file into a directory atomically.
func Put(t testing.TB, dir, name, content string) {
	t.Helper()
	temporary := filepath.Join(dir, ".new")
	if err := os.WriteFile(temporary, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temporary, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}
