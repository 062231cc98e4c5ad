package prove

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// pluginRules are the rules files in plugins, and the tutorial's. Each is proved, and carries all fields that differ, but for
// two: a reason says why.
var pluginRules = map[string]struct {
	crd    string // the directory with the definition, if it is another one
	answer string
	limits string
	says   string // of the measures, at first; that all is carried, if it is empty
}{
	"crontab":     {answer: Proved},
	"hostport":    {answer: Proved},
	"environment": {answer: Proved, limits: refused}, // the schemas do not bound the lists, whose order is kept
	"database": {answer: Proved, limits: "edited edited edited refused", // shows the stash
		says: "carries 5 of 10 fields that differ; hidden for a reason: spec.maintenance, spec.storage.class, spec.tls, spec.users[].roles[], status.members;"},
	"widget-v1alpha1-v1beta1": {crd: "widget-v1beta1-v1", answer: Proved},
	"widget-v1beta1-v1":       {answer: Proved, limits: refused},           // 100 hosts of 253 characters
	"tutorial":                {answer: Proved, limits: "refused refused"}, // texts without a bound
	// A client of an older version that deletes spec.privateKey gets it back around an Ed25519 that is kept.
	"certificate": {answer: NotDecided, limits: "edited edited"},
}

// blocks finds the YAML of a page, and how far it is indented.
var blocks = regexp.MustCompile("(?ms)^( *)```yaml\n(.*?)^ *```")

// TestRulesOfPlugins proves the rules of the repository.
func TestRulesOfPlugins(t *testing.T) {
	files, err := filepath.Glob("../../../plugins/*/rules/rules.yaml")
	if err != nil || len(files) != len(pluginRules)-1 {
		t.Fatalf("%d files, and %d verdicts: %v", len(files), len(pluginRules), err)
	}
	read := func(path ...string) []byte {
		text, err := os.ReadFile(filepath.Join(append([]string{"../../.."}, path...)...))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for name, want := range pluginRules {
		t.Run(name, func(t *testing.T) {
			var text, content []byte
			if name == "tutorial" {
				for _, block := range blocks.FindAllSubmatch(read("docs", "author", "tutorial.md"), -1) {
					if bytes.Contains(block[2], []byte("CustomResourceDefinition")) {
						content = block[2]
					} else {
						text = bytes.ReplaceAll(block[2], append([]byte("\n"), block[1]...), []byte("\n"))
					}
				}
			} else {
				text, content = read("plugins", name, "rules", "rules.yaml"), read("plugins", cmp.Or(want.crd, name), "crd.yaml")
			}
			f, err := rules.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			all, err := definition.Read(content)
			if err != nil {
				t.Fatal(err)
			}
			count := 1000
			if testing.Short() {
				count = 100
			}
			v, err := Rules(t.Context(), f, text, all[0].CRD, Options{Objects: count, For: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			var limits []string
			for _, l := range v.Limits {
				limits = append(limits, l.Limit)
			}
			if v.Answer != want.answer || strings.Join(limits, " ") != want.limits {
				t.Errorf("%s, open %v, limits %v", v.Answer, v.Open, v.Limits)
			}
			for _, line := range fuzz.Lines(v.Measures) {
				if _, says, ok := strings.Cut(line, ": carries"); ok && len(v.Versions) > 2 { // of two of the versions
					line = "carries" + says
				}
				if !strings.HasPrefix(line, cmp.Or(want.says, "carries all ")) {
					t.Error(line)
				}
			}
		})
	}
}
