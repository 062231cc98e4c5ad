package adopt

import (
	"fmt"
	"go/types"
	"strings"
)

// unstructuredPackage has the type that unstructured methods take.
const unstructuredPackage = "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// takesUnstructured reports whether a method has the parameters (context.Context,
// *unstructured.Unstructured).
func takesUnstructured(f *types.Func) bool {
	if parameters(f) != 2 {
		return false
	}
	t := pointed(f.Signature().Params().At(1).Type())
	return t != nil && t.Pkg() != nil && t.Pkg().Path() == unstructuredPackage && t.Name() == "Unstructured"
}

// otherVersion returns the version that unstructured methods convert to and from: their parameters
// do not tell it, so it must be the only other version of the kind in the packages.
func (p *program) otherVersion(k kind) (version, error) {
	if len(k.spokes) > 1 {
		return version{}, fmt.Errorf("the versions %s and %s both convert by way of unstructured objects (%s), whose version cannot be known without running them: name the packages of two versions", k.spokes[0].apiVersion, k.spokes[1].apiVersion, p.at(k.spokes[0].to.Pos()))
	}
	var others []version
	for _, v := range p.versionTypes() {
		if group, _, _ := strings.Cut(v.apiVersion, "/"); group == k.group && v.named.Obj().Name() == k.name && v.named != k.spokes[0].named {
			others = append(others, v)
		}
	}
	switch len(others) {
	case 0:
		return version{}, fmt.Errorf("%s converts by way of unstructured objects (%s): name the package of the other version, too", k.spokes[0].apiVersion, p.at(k.spokes[0].to.Pos()))
	case 1:
		return others[0], nil
	}
	return version{}, fmt.Errorf("%s converts by way of unstructured objects (%s), and the packages have %d other versions: name the packages of two versions", k.spokes[0].apiVersion, p.at(k.spokes[0].to.Pos()), len(others))
}

// unstructuredRoots are the declarations that main.go needs for unstructured methods.
func (p *program) unstructuredRoots() (roots []types.Object, err error) {
	for _, name := range [][2]string{{unstructuredPackage, "Unstructured"}, {kubeRuntime, "DefaultUnstructuredConverter"}, {kubeUtilJSON, "Unmarshal"}, {kubeUtilJSON, "Marshal"}} {
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

// unstructuredFunctions returns the function literals that call unstructured methods as a webhook
// does: with the object that is converted.
func unstructuredFunctions(spoke, hub, context string) string {
	return fmt.Sprintf(`func(spoke *%[1]s, hub *%[2]s) error {
		object, err := unstructuredOf(spoke)
		if err == nil {
			err = spoke.ConvertTo(%[3]s, object)
		}
		if err != nil {
			return err
		}
		text, err := utiljson.Marshal(object.Object) // the converter would allocate embedded pointers, whose members are then null
		if err != nil {
			return err
		}
		return utiljson.Unmarshal(text, hub)
	},
	func(hub *%[2]s, spoke *%[1]s) error {
		object, err := unstructuredOf(hub)
		if err != nil {
			return err
		}
		return spoke.ConvertFrom(%[3]s, object)
	}`, spoke, hub, context)
}

// unmarshal returns the member of a Kind that decodes objects: apimachinery's converter allocates
// embedded pointers, where encoding/json leaves them nil.
func (k kind) unmarshal() string {
	if k.form != formUnstructured {
		return ""
	}
	return "\t\tUnmarshal: unmarshal,\n"
}

// helpers returns the functions of main.go that unstructuredFunctions calls.
func (k kind) helpers() string {
	if k.form != formUnstructured {
		return ""
	}
	return `
func unstructuredOf(object any) (*unstructured.Unstructured, error) {
	members, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	return &unstructured.Unstructured{Object: members}, err
}

// unmarshal decodes an object as the operator's webhook does, which has it unstructured.
func unmarshal(text []byte, object any) error {
	var members map[string]any
	if err := utiljson.Unmarshal(text, &members); err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(members, object)
}
`
}
