package discover

import (
	"cmp"
	"fmt"
	"go/types"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// findFunctions returns the kinds that functions convert: those between types with TypeMeta of the
// packages, in both directions. The notes name the kinds that are converted in one direction, or by
// way of a type that no API server serves.
func findFunctions(p *operator.Program) (kinds []Resource, notes []string) {
	versions := versionTypes(p)
	functions := functions(p, func(t *types.TypeName) bool { return versions[t].Named != nil })
	spokes := map[*types.TypeName][]Version{} // by hub
	for way, to := range functions {
		from := functions[direction{way.out, way.in}]
		in, out := versions[way.in], versions[way.out]
		switch {
		case in.APIVersion == "" && out.APIVersion == "":
		case out.APIVersion == "":
			notes = append(notes, fmt.Sprintf("%s of %s is left out: %s converts it to a type of %s, which belongs to no version", in.Named.Obj().Name(), in.APIVersion, to.Name(), out.Pkg.PkgPath))
		case in.APIVersion == "":
		case from == nil:
			notes = append(notes, fmt.Sprintf("%s of %s is left out: %s converts it to %s, and no function converts it back", in.Named.Obj().Name(), in.APIVersion, to.Name(), out.APIVersion))
		default:
			in.To, in.From = to, from
			spokes[way.out] = append(spokes[way.out], in)
		}
	}
	best := map[string]*types.TypeName{} // the version with most spokes is the hub, of two the later one
	for hub := range spokes {
		group, _, _ := strings.Cut(versions[hub].APIVersion, "/")
		key := hub.Name() + "." + group
		if old := best[key]; old == nil || cmp.Or(cmp.Compare(len(spokes[hub]), len(spokes[old])), laterVersion(versions[hub].APIVersion, versions[old].APIVersion)) > 0 {
			best[key] = hub
		}
	}
	for key, hub := range best {
		name, group, _ := strings.Cut(key, ".")
		kinds = append(kinds, Resource{Name: name, Group: group, Form: FormFunctions, Hub: versions[hub], Spokes: spokes[hub]})
	}
	return kinds, notes
}

// versionTypes returns the types of whole objects in the packages. A type of a package without a
// version has an empty apiVersion.
func versionTypes(p *operator.Program) map[*types.TypeName]Version {
	versions, registered := map[*types.TypeName]Version{}, findVersions(p)
	for _, pkg := range p.NamedPackages() {
		for _, name := range pkg.Types.Scope().Names() {
			if named, ok := namedStruct(pkg.Types.Scope().Lookup(name)); ok && hasMember(named, "TypeMeta") && hasMember(named, "ObjectMeta") {
				apiVersion, err := registered.of(pkg, named.Obj())
				if err != nil || strings.HasSuffix(apiVersion, "/__internal") {
					apiVersion = ""
				}
				versions[named.Obj()] = Version{APIVersion: apiVersion, Named: named, Pkg: pkg}
			}
		}
	}
	return versions
}
