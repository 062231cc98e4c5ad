package artifact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// TestSidecarBounds tests the largest sidecars that are read, and those that exceed a bound by one.
func TestSidecarBounds(t *testing.T) {
	name, err := ParseName("K.g_v1_v2.wasm")
	if err != nil {
		t.Fatal(err)
	}
	repeat := func(list, item string, n int) string { return list + ":\n" + strings.Repeat(item, n) }
	reason := func(n int) string { return "known: [{check: a, reason: " + strings.Repeat("x", n) + "}]\n" }
	const known, loss = "- {check: a, reason: b}\n", "- {from: v1, to: v2, path: .spec.a, reason: b}\n"
	for _, c := range []struct{ good, bad, want string }{
		{repeat("known", known, maxKnown), repeat("known", known, maxKnown+1), fmt.Sprintf("there are %d known failures; a sidecar may have %d", maxKnown+1, maxKnown)},
		{repeat("lossy", loss, maxLosses), repeat("lossy", loss, maxLosses+1), fmt.Sprintf("there are %d losses; a sidecar may have %d", maxLosses+1, maxLosses)},
		{reason(maxText), reason(maxText + 1), fmt.Sprintf("known[0].reason has %d bytes; it may have %d", maxText+1, maxText)},
		{"# " + strings.Repeat("x", MaxSidecar-13) + "\nknown: []\n", "# " + strings.Repeat("x", MaxSidecar-12) + "\nknown: []\n", fmt.Sprintf("has %d bytes; a sidecar may have %d", MaxSidecar+1, MaxSidecar)},
	} {
		if _, err := ReadSidecar(name, &watch.File{Name: "K.g_v1_v2.yaml", Content: []byte(c.good)}); err != nil {
			t.Errorf("at the bound: %v", err)
		}
		if _, err := ReadSidecar(name, &watch.File{Name: "K.g_v1_v2.yaml", Content: []byte(c.bad)}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("above the bound: %v, want %q", err, c.want)
		}
	}
}

// TestDescribedFields tests the fields in a module's description of itself.
func TestDescribedFields(t *testing.T) {
	name, err := ParseName("K.g_v1_v2.wasm")
	if err != nil {
		t.Fatal(err)
	}
	for description, want := range map[string]string{
		`{"name":"a"}`: "map[] true", `not JSON`: "map[] true",
		`{"fields":{"v1":["spec.a"],"v2":[]}}`: "map[v1:[spec.a] v2:[]] false",
	} {
		if got, err := DescribedFields(name, []byte(description)); err != nil || fmt.Sprint(got, got == nil) != want {
			t.Errorf("%s: %v, %v", description, got, err)
		}
	}
	for _, description := range []string{`{"fields":null}`, `{"fields":[]}`, `{"fields":"spec"}`, `{"fields":{"v1":"spec.a"}}`, `{"fields":{"v3":["spec.a"]}}`, `{"fields":{"v1":["spec..a"],"v2":[]}}`} {
		if got, err := DescribedFields(name, []byte(description)); err == nil {
			t.Errorf("%s is read as %v", description, got)
		}
	}
}
