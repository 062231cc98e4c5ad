package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// TestDiff tests diff with modules of which one refuses, with equal ones, and with different names.
func TestDiff(t *testing.T) {
	old, new := moduleFile(t, "golden_fixed", things, ""), moduleFile(t, "good_refuse", things, "")
	objects := filepath.Join(t.TempDir(), "objects.yaml")
	writeFile(t, objects, "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n---\n"+twoVersions)
	code, out, errors := crosswalk("", "diff", "-f", objects, "--objects", "20", old, new)
	if code != command.ExitFinding || !strings.HasPrefix(out, "Thing.example.com v2→v1: 20 of 20 objects differ\n  . (20)\n    old: converts it\n    new: cannot convert object 0 (") ||
		!strings.Contains(out, "\nThing.example.com v1→v2: 21 of 21 objects differ\n") || !strings.Contains(out, "    object: {\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"}}\n") || errors != "" {
		t.Errorf("%d %s%s", code, out, errors)
	}
	if code, out, _ := crosswalk("", "diff", "-f", objects, "--objects", "20", "-o", "github", old, new); code != command.ExitFinding || !strings.HasPrefix(out, "::error file="+new+",title=Thing.example.com v2→v1 differs for 20 of 20 objects%3A .::old: converts it%0Anew: cannot") {
		t.Errorf("annotations: %d %s", code, out)
	}
	if code, out, errors := crosswalk("", "diff", "-f", objects, "-o", "json", old, filepath.Dir(old)); code != command.ExitOK || !strings.Contains(out, `"differ": 0,`) || errors != "" {
		t.Errorf("with itself: %d %s%s", code, out, errors)
	}
	if code, _, errors := crosswalk("", "diff", old, old); code != command.ExitError || !strings.Contains(errors, "nothing was compared") {
		t.Errorf("without objects: %d %s", code, errors)
	}
	one := moduleFile(t, "golden_fixed", "Thing.example.com_v1_to_v2", "")
	if code, out, _ := crosswalk("", "diff", "-f", objects, old, one); code != command.ExitFinding || !strings.HasPrefix(out, "only OLD converts Thing.example.com from v2 to v1\n") {
		t.Errorf("with less: %d %s", code, out)
	}
}
