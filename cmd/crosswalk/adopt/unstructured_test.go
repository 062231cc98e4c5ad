package adopt

import (
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// TestUnstructuredMethods finds methods that take unstructured objects, and the version that they
// convert to.
func TestUnstructuredMethods(t *testing.T) {
	p := loadScheme(t, "loose/v1", "loose/v2")
	k := only(t, p)
	if k.Form != discover.FormUnstructured || k.Problem != nil || k.File() != "Disk.loose.example.com_v1_v2.wasm" {
		t.Fatalf("found %s in the form %d, %v", k.File(), k.Form, k.Problem)
	}
	text := project.Functions(k, project.Imports(k), k.Spokes[0])
	for _, part := range []string{"func(spoke *v2.Disk, hub *v1.Disk) error", "spoke.ConvertTo(context.Background(), object)", "spoke.ConvertFrom(context.Background(), object)"} {
		if !strings.Contains(text, part) {
			t.Errorf("the functions lack %s: %s", part, text)
		}
	}
	x, metadata, err := extract.Kind(p, k)
	if err != nil {
		t.Fatal(err)
	}
	if metadata != nil || x.Swap {
		t.Errorf("metadata %v, swapped %v: apimachinery's converter looks into all of an object", metadata, x.Swap)
	}
	kinds, _ := discover.Find(loadScheme(t, "loose/v2"))
	const want = "loose.example.com/v2 converts by way of unstructured objects (conversion.go:12): name the package of the other version, too"
	if len(kinds) != 1 || kinds[0].Problem == nil || kinds[0].Problem.Error() != want {
		t.Errorf("without the other version: found %v", kinds)
	}
}
