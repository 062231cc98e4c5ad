package adopt

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

const testOperator = "testdata/operator"

func loadOperator(t *testing.T, patterns ...string) *operator.Program {
	t.Helper()
	p, err := operator.Load(context.Background(), operator.Workplace{Dir: testOperator, Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func only(t *testing.T, p *operator.Program) discover.Resource {
	t.Helper()
	kinds, notes := discover.Find(p)
	if len(kinds) != 1 || len(notes) != 0 {
		t.Fatalf("found %v, %v", kinds, notes)
	}
	return kinds[0]
}

func TestFind(t *testing.T) {
	k := only(t, loadOperator(t, "./api/v1", "./api/v2"))
	if k.File() != "Demo.demo.example.com_v2_v1.wasm" || k.Hub.APIVersion != "demo.example.com/v2" {
		t.Errorf("found %s with the hub %s", k.File(), k.Hub.APIVersion)
	}
	_, notes := discover.Find(loadOperator(t, "./api/v1", "./api/shared"))
	want := []string{
		"Demo.demo.example.com is left out: it needs a hub and a version that converts to it, and the packages have demo.example.com/v1",
		"the package example.com/operator/api/shared is left out: its group and version are not known, for it registers no type in a scheme, and has neither a variable GroupVersion nor, in a package named for the version, a marker +groupName",
	}
	if !slices.Equal(notes, want) {
		t.Errorf("got %q", notes)
	}
}

// TestCopies lists declarations that the module needs, and others.
func TestCopies(t *testing.T) {
	p := loadOperator(t, "./api/v1", "./api/v2")
	x, _, err := extract.Kind(p, only(t, p))
	if err != nil {
		t.Fatal(err)
	}
	files, err := x.Files()
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, f := range files {
		all += string(f.Text)
	}
	for _, part := range []string{"func (b Below) String()", "func init() { modes", "var modes = table()", "type Untouched struct"} {
		if !strings.Contains(all, part) {
			t.Errorf("%s is not copied", part)
		}
	}
	for _, part := range []string{"NotReached", "Unused", "registered", "GroupVersion"} {
		if strings.Contains(all, part) {
			t.Errorf("%s is copied", part)
		}
	}
}

func TestRefused(t *testing.T) {
	p := loadOperator(t, "./refused/v1", "./refused/v2")
	kinds, _ := discover.Find(p)
	var got []string
	for _, k := range kinds {
		_, _, err := extract.Kind(p, k)
		if err == nil {
			t.Errorf("%s is not refused", k.Name)
			continue
		}
		got = append(got, err.Error())
	}
	want := []string{
		"example.com/operator/refused/v1.assembly (v1.go:33) cannot be adopted: the function has no body in Go, but one in assembly or by go:linkname; a conversion that needs it has to be written by hand",
		"example.com/operator/refused/v1.nanotime (v1.go:19) cannot be adopted: the function has no body in Go, but one in assembly or by go:linkname; a conversion that needs it has to be written by hand",
		"example.com/operator/refused/v1.packed (v1.go:48) cannot be adopted: it is embedded by go:embed; a conversion that needs it has to be written by hand",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
