package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestCompat removes a version and narrows another, in each format.
func TestCompat(t *testing.T) {
	dir := t.TempDir()
	old, new, gone := filepath.Join(dir, "old.yaml"), filepath.Join(dir, "new, 1.yaml"), filepath.Join(dir, "gone.yaml")
	writeFile(t, old, twoVersions)
	writeFile(t, new, "# two kinds\nkind: Other\n---"+strings.Replace(twoVersions, "size: {type: integer}", "size: {type: string}", 1))
	first, _, _ := strings.Cut(twoVersions, "  - name: v2\n")
	writeFile(t, gone, first)
	const narrowed = "things.example.com: breaks stored objects\n  v1 spec.size: the type was integer, is string\n" +
		"    fix: keep the type; give the new form a field of its own, or a new version with a conversion\n"
	const removed = "things.example.com: breaks stored objects\n  v2: the version is gone, and objects may be stored at it\n"
	const unserved = "things.example.com: breaks clients\n  v2: requests for the version fail: it is gone\n    fix: serve it until its clients have moved, and announce that with deprecated: true\n"
	const none = "things.example.com: rejected\n  the API server rejects the definition: spec.versions: Invalid value: "
	good, bad := moduleFile(t, "golden_fixed", things, ""), moduleFile(t, "good_refuse", things, "")
	for _, c := range []struct {
		name, stdin string
		args        []string
		code        int
		out, err    string
	}{
		{"equal", "", []string{old, old}, command.ExitOK, "changes that break stored objects: 0, that break clients: 0, that change behaviour: 0, safe: 0\n", ""},
		{"narrowed", "", []string{old, new}, command.ExitFinding, narrowed + "changes that break stored objects: 1, that break clients: 0, that change behaviour: 0, safe: 0\n", ""},
		{"standard input", twoVersions, []string{"-", new}, command.ExitFinding, narrowed + "changes that break stored objects: 1, that break clients: 0, that change behaviour: 0, safe: 0\n", ""},
		{"version gone", "", []string{old, gone}, command.ExitFinding, removed + "    fix: rewrite the objects at v1 first: crosswalk retire things.example.com v2\n" + unserved + "changes that break stored objects: 1, that break clients: 1, that change behaviour: 0, safe: 0\n", ""},
		{"no stored version", strings.Replace(first, "storage: true", "storage: false", 1), []string{old, "-"}, command.ExitFinding, none, ""},
		{"two stored versions", strings.Replace(twoVersions, "storage: false", "storage: true", 1), []string{old, "-"}, command.ExitFinding, none, ""},
		{"covered", "", []string{"--module", good, old, gone}, command.ExitFinding, removed + "    covered: 200 generated objects of v2 convert to valid objects of v1\n" + unserved + "changes that break stored objects: 1, that break clients: 1 (1 covered by the conversion), that change behaviour: 0, safe: 0\n", ""},
		{"not covered", "", []string{"--module", bad, old, gone}, command.ExitFinding, removed + "    not covered: cannot convert object 0 (", ""},
		{"other modules", "", []string{"--module", moduleFile(t, "golden_fixed", "Thing.example.com_v1_to_v2", ""), old, gone}, command.ExitFinding, removed + "    not covered: no module converts Thing.example.com from v2 to v1\n", ""},
		{"github", "", []string{"-o", "github", old, new}, command.ExitFinding, "::error file=" + strings.ReplaceAll(new, ",", "%2C") + ",line=15,title=things.example.com v1 spec.size::breaks stored objects: the type was integer, is string%0Afix: keep the type; give", ""},
		{"one file", "", []string{old}, command.ExitError, "", "crosswalk compat: name two files with definitions: the old and the new (crosswalk compat --help says more)\n"},
		{"standard input twice", "", []string{"-", "-"}, command.ExitError, "", "crosswalk compat: only one of the files can be standard input (crosswalk compat --help says more)\n"},
		{"no definition", "kind: A\n", []string{old, "-"}, command.ExitError, "", "crosswalk compat: standard input: it has no CustomResourceDefinition and no CompositeResourceDefinition\n"},
		{"no file", "", []string{old, "absent"}, command.ExitError, "", "crosswalk compat: open absent: no such file or directory\n"},
		{"directory", "", []string{old, "testdata"}, command.ExitError, "", "crosswalk compat: testdata is a directory: name the file with the definition\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errors := crosswalk(c.stdin, append([]string{"compat"}, c.args...)...)
			if code != c.code || !strings.HasPrefix(out, c.out) || strings.HasSuffix(c.out, "safe\n") && out != c.out || errors != c.err {
				t.Errorf("%d\n%s%s\nwant %d\n%s%s", code, out, errors, c.code, c.out, c.err)
			}
		})
	}
	code, out, _ := crosswalk("", "compat", "-o", "sarif", old, new)
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID    string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil || code != command.ExitFinding || len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 {
		t.Fatalf("%d %v %s", code, err, out)
	}
	r := log.Runs[0].Results[0]
	if at := r.Locations[0].PhysicalLocation; r.RuleID != "type-narrowed" || at.Region.StartLine != 15 || !strings.HasSuffix(at.ArtifactLocation.URI, "/new,%201.yaml") {
		t.Errorf("%+v", r)
	}
	var document struct {
		Breaks  int
		Changes []struct{ Rule, Class, Path string }
	}
	_, out, _ = crosswalk("", "compat", "-o", "json", old, new)
	if err := json.Unmarshal([]byte(out), &document); err != nil || document.Breaks != 1 || document.Changes[0].Class != "breaks stored objects" || document.Changes[0].Path != "spec.size" {
		t.Errorf("%v %s", err, out)
	}
}
