package runtime

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// taken returns which of the names are among the first of so many, in the order of byShare.
func taken(names []string, files int, served ...string) []string {
	before := map[string]artifact.Name{}
	for _, base := range served {
		before[base] = artifact.Name{}
	}
	byShare(before)(names)
	return names[:min(files, len(names))]
}

func TestSharesOfTheDirectory(t *testing.T) {
	good := []string{"Good.g_v1_v2.wasm", "Good.g_v1_v2.yaml", "Zeta.g_v1_v2.wasm.gz", "goods.g.crd.yaml", "SHA256SUMS", "Gone.g_v1_v2.removed"}
	flood := func(format string) (names []string) {
		for i := range 600 {
			names = append(names, fmt.Sprintf(format, i))
		}
		return names
	}
	for _, tc := range []struct {
		name   string
		names  []string
		served string
		lost   string // of the good files
	}{
		{"sidecars without a module", flood("A%d.g_v1_v2.yaml"), "", ""},
		{"modules of one kind", flood("A.g_v1_v%d.wasm"), "", ""},
		{"modules and sidecars of one kind", append(flood("A.g_v1_v%d.wasm"), flood("A.g_v1_v%d.yaml")...), "", ""},
		{"tombstones of one kind", flood("A.g_v1_v%d.removed"), "", ""},
		{"definitions of one group", flood("a%d.a.crd.yaml"), "", ""},
		{"sidecars without a module beside definitions of one group", append(flood("A%d.g_v1_v2.yaml"), flood("a%d.a.crd.yaml")...), "", ""},
		{"modules of one kind beside definitions of one group", append(flood("A.g_v1_v%d.wasm"), flood("a%d.a.crd.yaml")...), "", ""},
		{"names of no module", flood("a%d.wasm"), "", ""},
		{"as many kinds", flood("A%d.g_v1_v2.wasm"), "Good.g_v1_v2", "Gone.g_v1_v2.removed Zeta.g_v1_v2.wasm.gz"},
		{"as many groups", flood("a%d.a%[1]d.crd.yaml"), "", "goods.g.crd.yaml"},
	} {
		var lost []string
		got := taken(slices.Concat(tc.names, good), 512, tc.served)
		for _, name := range slices.Sorted(slices.Values(good)) {
			if !slices.Contains(got, name) {
				lost = append(lost, name)
			}
		}
		if strings.Join(lost, " ") != tc.lost {
			t.Errorf("%s: %q are left out, want %q", tc.name, lost, tc.lost)
		}
		if all := slices.Concat(tc.names, good); len(got) != 512 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
			t.Errorf("%s: %d files are taken", tc.name, len(got))
		}
	}
}

// TestSidecarComesBeforeItsModule: no limit falls between a module and the sidecar whose checks it
// has to pass.
func TestSidecarComesBeforeItsModule(t *testing.T) {
	got := taken([]string{"K.g_v1_v2.wasm", "K.g_v1_v2.wasm.gz", "K.g_v1_v2.yaml", "K.g_v1_v2.removed"}, 4)
	if want := []string{"K.g_v1_v2.removed", "K.g_v1_v2.yaml", "K.g_v1_v2.wasm", "K.g_v1_v2.wasm.gz"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAlternate: of two lists, each gets as many files as the other while both have some.
func TestAlternate(t *testing.T) {
	units := func(files ...string) (all []*unit) {
		for _, names := range files {
			all = append(all, &unit{files: strings.Fields(names)})
		}
		return all
	}
	for _, tc := range []struct {
		a, b []*unit
		want string
	}{
		{units("a1", "a2", "a3", "a4"), units("b1", "b2"), "a1 b1 a2 b2 a3 a4"},
		{units("a1 a2 a3", "a4"), units("b1", "b2", "b3", "b4"), "a1 a2 a3 b1 b2 b3 a4 b4"},
		{nil, units("b1 b2", "b3"), "b1 b2 b3"},
		{units("a1"), nil, "a1"},
	} {
		if got := strings.Join(alternate(tc.a, tc.b), " "); got != tc.want {
			t.Errorf("%s, want %s", got, tc.want)
		}
	}
}

// TestServedModulesComeFirst: also before those whose names come earlier.
func TestServedModulesComeFirst(t *testing.T) {
	got := taken([]string{"A.g_v1_v2.wasm", "B.g_v1_v2.wasm", "Z.g_v1_v2.wasm", "Z.g_v1_v2.yaml"}, 3, "Z.g_v1_v2")
	if want := []string{"Z.g_v1_v2.yaml", "Z.g_v1_v2.wasm", "A.g_v1_v2.wasm"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
