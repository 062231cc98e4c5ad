package imports

import (
	"go/types"
	"strings"
	"testing"
)

// mostMethods is the number of methods that a type may have, with those that it has by embedding: with
// more, it is for several things.
const mostMethods = 45

// larger types have more, and why. None may grow.
var larger = map[string]int{
	"runtime/meter.bodies":     67, // three parts of one pass over a body, by embedding
	"runtime/meter.injector":   56, // likewise
	"cmd/crosswalk/compat.crd": 46, // an API type, by embedding
	"sdk/go.Value":             51, // conversions are written with it
	"sdk/go.Object":            70, // a Value, and the identity of an object
}

// TestMethods counts the methods of each type.
func TestMethods(t *testing.T) {
	lookAt(t, root)
	found := 0
	for _, dir := range append(modules(), "sdk") {
		for _, p := range load(t, dir) {
			scope := p.Types.Scope()
			for _, name := range scope.Names() {
				declared, is := scope.Lookup(name).(*types.TypeName)
				if !is || types.IsInterface(declared.Type()) {
					continue
				}
				found++
				of := strings.TrimPrefix(p.PkgPath, strings.TrimSuffix(project, "/")+"/") + "." + name
				if n := types.NewMethodSet(types.NewPointer(declared.Type())).Len(); n > max(mostMethods, larger[of]) {
					t.Errorf("%s has %d methods, more than %d: give related methods a type, and embed only to meet an interface", of, n, max(mostMethods, larger[of]))
				}
			}
		}
	}
	if found < 300 {
		t.Errorf("only %d types were found", found)
	}
}
