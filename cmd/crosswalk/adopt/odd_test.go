package adopt

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

const odd = "testdata/odd"

// TestOddPackages compares the sentence about each form that cannot be adopted.
func TestOddPackages(t *testing.T) {
	for _, test := range []struct{ patterns, want string }{
		{"./groups/a ./groups/b", "Thing of a.example.com/v1 (types.go:6) is left out: its hub is of another group, b.example.com/v2 (types.go:6), and an API server asks a webhook only for conversions within one group; objects have to be copied to the other group by a program"},
		{"./hubs/v1 ./hubs/v2 ./hubs/v3", "two types are hubs, example.com/odd/hubs/v2.Thing (types.go:6) and example.com/odd/hubs/v3.Thing (types.go:6): a kind has one hub, and adopt does not choose; name only the packages that one webhook serves"},
		{"./cgo/v1 ./cgo/v2", `the package example.com/odd/cgo/v1 cannot be adopted: length.go:4 imports "C", and a module has no C libraries; a conversion that needs it has to be written by hand`},
		{"./around/v1 ./around/v2", "a type that embeds Thing has conversions of its own (around/webhook/webhook.go:11), which the operator's webhook may call instead: name its package"},
		{"./beside/v1 ./beside/v2", "; beside them is Convert_v1_Thing_To_v2_Thing (" + filepath.Join(gocmd.Absolute(odd), "beside", "convert", "convert.go") + ":9): name its package, too"},
	} {
		p, err := operator.Load(context.Background(), operator.Workplace{Dir: odd, Patterns: strings.Fields(test.patterns), Roots: []string{gocmd.Absolute(odd)}})
		if err != nil {
			t.Fatal(err)
		}
		kinds, notes := discover.Find(p)
		got := strings.Join(notes, "\n")
		switch {
		case len(kinds) > 0 && kinds[0].Problem != nil:
			got = kinds[0].Problem.Error()
		case len(kinds) > 0:
			if _, _, err := extract.Kind(p, kinds[0]); err != nil {
				got = err.Error()
			}
		case got == "":
			got = discover.Neighbours(p)
		}
		if got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.patterns, got, test.want)
		}
	}
}

// TestLayouts finds kinds whose package has the name of the kind, with the version in the package around
// it, and kinds with types around those of an API package.
func TestLayouts(t *testing.T) {
	for patterns, want := range map[string]string{
		"./kinds/v1/disk ./kinds/v2/disk":           "Disk.kinds.example.com_v2_v1.wasm",
		"./wrapped/webhook/v1 ./wrapped/webhook/v2": "Thing.wrapped.example.com_v2_v1.wasm",
	} {
		p, err := operator.Load(context.Background(), operator.Workplace{Dir: odd, Patterns: strings.Fields(patterns), Roots: []string{gocmd.Absolute(odd)}})
		if err != nil {
			t.Fatal(err)
		}
		kinds, notes := discover.Find(p)
		if len(kinds) != 1 || kinds[0].Problem != nil || kinds[0].File() != want {
			t.Errorf("%s: %d kinds, %q: %+v", patterns, len(kinds), notes, kinds)
		}
	}
}

// TestFirstReason repeats why a package is left out in the error that no kind was found.
func TestFirstReason(t *testing.T) {
	t.Chdir(odd)
	err := Run(context.Background(), Options{Packages: []string{"./meta"}, Out: io.Discard})
	if want := "; the package example.com/odd/meta is left out: its group and version are not known, "; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}
