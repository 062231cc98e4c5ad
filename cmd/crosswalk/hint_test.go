package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestFragmentsInCasesAreExplained tests that the commands explain a case that fails because its object
// has no metadata.uid, and no other failure.
func TestFragmentsInCasesAreExplained(t *testing.T) {
	const rules = `kind: Thing
group: example.com
conversions:
- {from: v1, to: v2, rules: [{default: spec.strategy, in: v2, value: Rolling}]}
`
	const hint = "with a uid in its metadata, the case passes"
	for _, c := range []struct {
		name, cases string
		explained   bool
	}{
		{"a default", "{from: v1, to: v2, object: {metadata: {name: x}, spec: {a: '<'}}, want: {spec: {a: '<', strategy: Rolling}}}", true},
		{"a default without metadata", "{from: v1, to: v2, object: {spec: {}}, want: {spec: {strategy: Rolling}}}", true},
		{"another value", "{from: v1, to: v2, object: {spec: {}}, want: {spec: {strategy: Other}}}", false},
		{"a whole object", "{from: v1, to: v2, object: {metadata: {uid: u}, spec: {}}, want: {spec: {strategy: Other}}}", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			file, module := filepath.Join(dir, "rules.yaml"), filepath.Join(dir, "Thing.example.com_v1_v2.wasm")
			writeFile(t, file, rules)
			if code, _, errors := crosswalk("", "compile", "-o", module, file); code != command.ExitOK {
				t.Fatal(errors)
			}
			writeFile(t, strings.TrimSuffix(module, ".wasm")+".yaml", "cases:\n- "+c.cases+"\n")
			for _, name := range []string{"check", "test"} {
				code, out, errors := crosswalk("", name, module)
				if code == command.ExitOK || strings.Contains(out+errors, hint) != c.explained {
					t.Errorf("%s: exit code %d: %s%s", name, code, out, errors)
				}
			}
		})
	}
}
