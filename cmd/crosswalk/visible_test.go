package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestVerdictsSayWhatClientsSee tests that each command with a verdict about rules says which fields
// clients see, and that rules that hide a field in each version are a success of none until they say why.
func TestVerdictsSayWhatClientsSee(t *testing.T) {
	const valid = "; 100 % of v1's objects are valid at v2, 100 % of v2's at v1"
	for _, c := range []struct {
		name, rules, says string
		code              int
	}{
		{"hides everything", "{drop: spec.colour, in: v1}\n  - {drop: spec.color, in: v2}", "carries 0 of 2 fields that differ; hidden: spec.color, spec.colour" + valid, command.ExitFinding},
		{"says why", "{drop: spec.colour, in: v1, reason: nobody reads it}\n  - {drop: spec.color, in: v2}", "carries 0 of 2 fields that differ; hidden: spec.color; hidden for a reason: spec.colour" + valid, command.ExitOK},
		{"right", "{rename: spec.colour, to: spec.color}", "carries all 2 fields that differ" + valid, command.ExitOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			crd, rules := filepath.Join(dir, "crd.yaml"), filepath.Join(dir, "rules.yaml")
			writeFile(t, crd, strings.NewReplacer("MORE", "", "{type: string}", "{type: string, maxLength: 1000}").Replace(provedDefinition))
			writeFile(t, rules, strings.Replace(provedRules, "{rename: spec.colour, to: spec.color}", c.rules, 1))
			module := filepath.Join(dir, "CronTab.stable.example.com_v1_v2.wasm")
			if code, out, errs := crosswalk("", "compile", "--crd", crd, "-o", module, rules); code != command.ExitOK || !strings.Contains(out, ", proved to lose nothing") || !strings.HasSuffix(out, "\n  "+c.says+"\n") {
				t.Errorf("compile: %d: %s%s", code, out, errs)
			}
			carried, _, _ := strings.Cut(strings.TrimPrefix(strings.Replace(c.says, "all 2", "2 of 2", 1), "carries "), " fields")
			if _, out, _ := crosswalk("", "inspect", module); !strings.Contains(out, ", carries "+carried+" fields that differ\n") {
				t.Errorf("inspect: %s", out)
			}
			for _, args := range []string{"test --for 1ms -o sarif", "check --for 1ms", "check --for 1ms -o github", "fuzz --objects 1", "fuzz --objects 1 -o junit", "prove --for 50ms RULES"} {
				words := append(strings.Fields(args), "--crd", crd)
				if words = append(words, module); strings.Contains(args, "RULES") {
					words = append(append([]string{}, strings.Fields(strings.Replace(args, "RULES", rules, 1))...), "--crd", crd)
				}
				code, out, errs := crosswalk("", words...)
				says := c.says
				if strings.Contains(args, "junit") {
					says = strings.ReplaceAll(says, "'", "&#39;")
				} else if strings.Contains(args, "github") {
					says = strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C").Replace(says)
				}
				if code != c.code || !strings.Contains(out, says) {
					t.Errorf("%s: %d, want %d: %s%s", args, code, c.code, out, errs)
				}
			}
			for _, args := range [][]string{{"fuzz", "--objects", "1", "-o", "json", "--crd", crd, module}, {"prove", "--for", "50ms", "-o", "json", "--crd", crd, rules}} {
				if code, out, _ := crosswalk("", args...); code != c.code || !strings.Contains(out, `"verdict": "`) || !strings.Contains(out, `"measures": [`) {
					t.Errorf("%s: %d: %s", args, code, out)
				}
			}
		})
	}
}
