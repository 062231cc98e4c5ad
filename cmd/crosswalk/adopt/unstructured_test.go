package adopt

import (
	"strings"
	"testing"
)

// TestUnstructuredMethods finds methods that take unstructured objects, and the version that they
// convert to.
func TestUnstructuredMethods(t *testing.T) {
	p := loadScheme(t, "loose/v1", "loose/v2")
	k := only(t, p)
	if k.form != formUnstructured || k.problem != nil || k.file() != "Disk.loose.example.com_v1_v2.wasm" {
		t.Fatalf("found %s in the form %d, %v", k.file(), k.form, k.problem)
	}
	text := k.functions(k.imports(), k.spokes[0])
	for _, part := range []string{"func(spoke *v2.Disk, hub *v1.Disk) error", "spoke.ConvertTo(context.Background(), object)", "spoke.ConvertFrom(context.Background(), object)"} {
		if !strings.Contains(text, part) {
			t.Errorf("the functions lack %s: %s", part, text)
		}
	}
	x, hidden, err := Options{Opaque: true}.extract(p, k)
	if err != nil {
		t.Fatal(err)
	}
	if len(hidden.types) > 0 || hidden.metadata != nil || x.swap {
		t.Errorf("opaque are %v, metadata %v, swapped %v: apimachinery's converter looks into all of an object", hidden.types, hidden.metadata, x.swap)
	}
	kinds, _ := loadScheme(t, "loose/v2").find()
	const want = "loose.example.com/v2 converts by way of unstructured objects (conversion.go:12): name the package of the other version, too"
	if len(kinds) != 1 || kinds[0].problem == nil || kinds[0].problem.Error() != want {
		t.Errorf("without the other version: found %v", kinds)
	}
}
