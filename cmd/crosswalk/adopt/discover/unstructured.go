package discover

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// UnstructuredPackage has the type that unstructured methods take.
const UnstructuredPackage = "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Packages of apimachinery with the functions that webhooks call on unstructured objects.
const (
	KubeRuntime  = "k8s.io/apimachinery/pkg/runtime"
	KubeUtilJSON = "k8s.io/apimachinery/pkg/util/json"
)

// takesUnstructured reports whether a method has the parameters (context.Context,
// *unstructured.Unstructured).
func takesUnstructured(f *types.Func) bool {
	if Parameters(f) != 2 {
		return false
	}
	t := pointed(f.Signature().Params().At(1).Type())
	return t != nil && t.Pkg() != nil && t.Pkg().Path() == UnstructuredPackage && t.Name() == "Unstructured"
}

// otherVersion returns the version that unstructured methods convert to and from: their parameters
// do not tell it, so it must be the only other version of the kind in the packages.
func otherVersion(p *operator.Program, k Resource) (Version, error) {
	if len(k.Spokes) > 1 {
		return Version{}, fmt.Errorf("the versions %s and %s both convert by way of unstructured objects (%s), whose version cannot be known without running them: name the packages of two versions", k.Spokes[0].APIVersion, k.Spokes[1].APIVersion, p.At(k.Spokes[0].To.Pos()))
	}
	var others []Version
	for _, v := range versionTypes(p) {
		if group, _, _ := strings.Cut(v.APIVersion, "/"); group == k.Group && v.Named.Obj().Name() == k.Name && v.Named != k.Spokes[0].Named {
			others = append(others, v)
		}
	}
	switch len(others) {
	case 0:
		return Version{}, fmt.Errorf("%s converts by way of unstructured objects (%s): name the package of the other version, too", k.Spokes[0].APIVersion, p.At(k.Spokes[0].To.Pos()))
	case 1:
		return others[0], nil
	}
	return Version{}, fmt.Errorf("%s converts by way of unstructured objects (%s), and the packages have %d other versions: name the packages of two versions", k.Spokes[0].APIVersion, p.At(k.Spokes[0].To.Pos()), len(others))
}

// UnstructuredRoots are the declarations that main.go needs for unstructured methods.
func UnstructuredRoots(p *operator.Program) (roots []types.Object, err error) {
	for _, name := range [][2]string{{UnstructuredPackage, "Unstructured"}, {KubeRuntime, "DefaultUnstructuredConverter"}, {KubeUtilJSON, "Unmarshal"}, {KubeUtilJSON, "Marshal"}} {
		pkg := p.All[name[0]]
		if pkg == nil || pkg.Types.Scope().Lookup(name[1]) == nil {
			return nil, fmt.Errorf("%s.%s is not among the operator's dependencies", name[0], name[1])
		}
		roots = append(roots, pkg.Types.Scope().Lookup(name[1]))
	}
	converter, ok := roots[1].Type().Underlying().(*types.Interface)
	for i := 0; ok && i < converter.NumMethods(); i++ {
		roots = append(roots, converter.Method(i))
	}
	return roots, nil
}
