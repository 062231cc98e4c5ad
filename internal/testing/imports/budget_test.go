package imports

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// areas are the parts that somebody keeps, with the most lines of Go in each, without tests. Two people
// can keep the goal; a change that needs more names the code that leaves, and one that removes
// something lowers the bound. A directory below another's belongs to its own area.
var areas = []struct {
	name string
	dirs []string
	most int
	goal int
}{
	{"the gateway", []string{"cmd/gateway", "host", "internal", "runtime"}, 35_784, 33_500},
	{"the tool", []string{"cmd/crosswalk"}, 42_571, 31_000},
	{"adopt", []string{"cmd/crosswalk/adopt", "sdk/go/kubebuilder"}, 18_614, 14_000},
	{"the SDK for Go", []string{"sdk"}, 4_600, 5_000},
	{"releases", []string{"deploy"}, 2_450, 2_500},
}

// TestLinesOfAreas counts the lines of each area.
func TestLinesOfAreas(t *testing.T) {
	lines := map[string]int{}
	for _, top := range []string{"cmd", "deploy", "host", "internal", "runtime", "sdk"} {
		lookAt(t, filepath.Join(root, top))
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "testing" || d.Name() == "node_modules"):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(name)
			lines[areaOf(packageOf(name))] += bytes.Count(text, []byte("\n"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, area := range areas {
		t.Logf("%s: %d lines of %d (goal %d)", area.name, lines[area.name], area.most, area.goal)
		if lines[area.name] > area.most {
			t.Errorf("%s has %d lines of Go without tests, at most %d: cut code that nobody would miss, or say in the commit why the bound rises", area.name, lines[area.name], area.most)
		}
	}
	if lines[""] > 0 {
		t.Errorf("%d lines belong to no area", lines[""])
	}
}

// areaOf returns the area of a package: the one with the longest directory that it lies in.
func areaOf(pkg string) (name string) {
	longest := ""
	for _, area := range areas {
		for _, dir := range area.dirs {
			if within(pkg, dir) && len(dir) > len(longest) {
				name, longest = area.name, dir
			}
		}
	}
	return name
}
