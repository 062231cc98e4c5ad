package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestRejectedDefinition tests that each command that reads a definition says that no API server
// accepts it, and judges nothing by it.
func TestRejectedDefinition(t *testing.T) {
	dir := t.TempDir()
	crd, rules := filepath.Join(dir, "crd.yaml"), filepath.Join(dir, "rules.yaml")
	writeFile(t, crd, strings.Replace(twoVersions, "size: {type: integer}", "size: {type: integer, default: three}", 1))
	writeFile(t, rules, "kind: Thing\ngroup: example.com\nconversions:\n- {from: v1, to: v2, rules: []}\n")
	module := moduleFile(t, "golden_fixed", things, "")
	const reason = `the API server rejects the definition: spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].default: Invalid value: "string": `
	for _, args := range [][]string{
		{"init", "--rules", "--crd", crd, "--dir", filepath.Join(dir, "new")},
		{"init", "--lang", "go", "--crd", crd, "--dir", filepath.Join(dir, "new")},
		{"compile", "--crd", crd, "-o", dir + "/", rules},
		{"prove", "--crd", crd, rules},
		{"check", "--crd", crd, module},
		{"fuzz", "--crd", crd, module},
		{"test", "--crd", crd, module},
		{"fuzz", "-f", crd, module},
	} {
		code, out, errors := crosswalk("", args...)
		if code != command.ExitError || !strings.Contains(errors, reason) || out != "" {
			t.Errorf("%s: %d\n%s%s\nwant %s", args[0], code, out, errors, reason)
		}
	}
}
