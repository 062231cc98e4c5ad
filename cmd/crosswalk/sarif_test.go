package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// sarifLog has the members of a log that GitHub's code scanning reads.
type sarifLog struct {
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string
				Rules []struct {
					ID                                      string
					ShortDescription, FullDescription, Help struct{ Text string }
				}
			}
		}
		Results []struct {
			RuleID, Level string
			Message       struct{ Text string }
			Locations     []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           struct{ StartLine int }
				}
			}
			PartialFingerprints map[string]string
		}
	}
}

// readSARIF reads a log as code scanning does, which rejects or hides the faults it reports, and
// returns each result as rule, path from root and line. root is the repository.
func readSARIF(t *testing.T, root, text string) (found []string) {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal([]byte(text), &log); err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name == "" {
		t.Fatalf("not a log of one run: %v\n%s", err, text)
	}
	rules, alerts := map[string]bool{}, map[string]bool{}
	for _, r := range log.Runs[0].Tool.Driver.Rules {
		rules[r.ID] = r.ShortDescription.Text != "" && r.ShortDescription.Text != r.ID && r.FullDescription.Text != "" && r.Help.Text != ""
	}
	for _, r := range log.Runs[0].Results {
		if !rules[r.RuleID] || r.Message.Text == "" || !slices.Contains([]string{"error", "warning", "note"}, r.Level) || len(r.Locations) != 1 {
			t.Errorf("a result without a described rule, message, level or one location: %+v", r)
			continue
		}
		at := r.Locations[0].PhysicalLocation
		path, err := url.PathUnescape(at.ArtifactLocation.URI)
		if err != nil || !filepath.IsLocal(path) {
			t.Errorf("%q is not a path in the repository", at.ArtifactLocation.URI)
		}
		content, err := os.ReadFile(filepath.Join(root, path))
		if lines := strings.Count(string(content), "\n") + 1; err != nil || at.Region.StartLine < 1 || at.Region.StartLine > lines {
			t.Errorf("%s:%d is not a line of a file: %v", path, at.Region.StartLine, err)
		}
		alert := r.RuleID + " " + r.PartialFingerprints["primaryLocationLineHash"]
		if alerts[alert] || r.PartialFingerprints["primaryLocationLineHash"] == "" {
			t.Errorf("%s: another result has the same fingerprint: %s", path, r.Message.Text)
		}
		alerts[alert] = true
		found = append(found, fmt.Sprintf("%s %s:%d", r.RuleID, path, at.Region.StartLine))
	}
	return found
}

// TestSARIF runs the commands with -o sarif in a directory of a repository, and reads their logs as
// GitHub's code scanning does.
func TestSARIF(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "con verters")
	for _, d := range []string{filepath.Join(root, ".git"), filepath.Join(dir, "build"), filepath.Join(dir, "refused"), filepath.Join(dir, "old"), filepath.Join(dir, "new"), filepath.Join(dir, "odd")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, moduleFile(t, "golden_fixed", echo, ""), filepath.Join(dir, "build", echo+".wasm"))
	for _, d := range []string{dir, filepath.Join(dir, "build")} {
		writeFile(t, filepath.Join(d, echo+".yaml"), fixedCases)
	}
	writeFile(t, filepath.Join(dir, "refused", echo+".wasm"), "not a module")
	copyFile(t, moduleFile(t, "golden_fixed", things, ""), filepath.Join(dir, "old", things+".wasm"))
	copyFile(t, moduleFile(t, "good_refuse", things, ""), filepath.Join(dir, "new", things+".wasm"))
	copyFile(t, moduleFile(t, "good_echo", echo, ""), filepath.Join(dir, "odd", echo+".wasm"))
	writeFile(t, filepath.Join(dir, "odd", "A.b.c_v1.wasm"), "")
	writeFile(t, filepath.Join(dir, "crd.yaml"), twoVersions)
	cronTabs, err := filepath.Abs(filepath.Join("..", "..", "plugins", "crontab", "crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	const refused, sidecar = "con verters/refused/" + echo + ".wasm:1", "con verters/" + echo + ".yaml:"
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string // these and perhaps more
	}{
		{"check, refused", []string{"check", "refused"}, command.ExitFinding, []string{"failed-check " + refused}},
		{"check, misnamed", []string{"check", "odd"}, command.ExitFinding, []string{"failed-check con verters/odd/A.b.c_v1.wasm:1"}},
		{"check, no definition", []string{"check", "--crd", "absent.yaml", "refused/" + echo + ".wasm"}, command.ExitError, []string{"not-checked " + refused}},
		{"fuzz, refused", []string{"fuzz", "--crd", cronTabs, "refused"}, command.ExitFinding, []string{"module-refused " + refused}},
		{"test, refused", []string{"test", "--for", "0", "refused"}, command.ExitFinding, []string{"failed-check " + refused}},
		{"test, cases", []string{"test", "--for", "0", "."}, command.ExitFinding, []string{"failed-check " + sidecar + "9", "failed-check " + sidecar + "10"}},
		{"diff of directories", []string{"diff", "-f", "crd.yaml", "--objects", "5", "old", "new"}, command.ExitFinding, []string{"answers-differ con verters/new/" + things + ".wasm:1"}},
		{"diff, refused", []string{"diff", "-f", "crd.yaml", "old", "refused"}, command.ExitFinding, []string{"module-refused " + refused}},
		{"diff, another kind", []string{"diff", "-f", "crd.yaml", "--objects", "5", "old", "odd"}, command.ExitFinding, []string{"conversion-missing con verters/old/" + things + ".wasm:1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errors := crosswalk("", append([]string{c.args[0], "-o", "sarif"}, c.args[1:]...)...)
			if code != c.code {
				t.Errorf("%d %s%s", code, out, errors)
			}
			found := readSARIF(t, root, out)
			for _, want := range c.want {
				if !slices.Contains(found, want) {
					t.Errorf("%s is not among %q", want, found)
				}
			}
		})
	}
	code, out, errors := crosswalk("", "fuzz", "-o", "github", "--crd", cronTabs, "refused")
	if want := "::error file=" + strings.TrimSuffix(refused, ":1") + ",title=a gateway does not serve this module::"; code != command.ExitFinding || !strings.HasPrefix(out, want) || errors == "" {
		t.Errorf("%d %s%s", code, out, errors)
	}
}
