package adopt

import (
	"cmp"
	"fmt"
	"go/types"
	"strings"
)

// findFunctions returns the kinds that functions convert: those between types with TypeMeta of the
// packages, in both directions. The notes name the kinds that are converted in one direction, or by
// way of a type that no API server serves.
func (p *program) findFunctions() (kinds []kind, notes []string) {
	versions := p.versionTypes()
	functions := p.functions(func(t *types.TypeName) bool { return versions[t].named != nil })
	spokes := map[*types.TypeName][]version{} // by hub
	for way, to := range functions {
		from := functions[direction{way.out, way.in}]
		in, out := versions[way.in], versions[way.out]
		switch {
		case in.apiVersion == "" && out.apiVersion == "":
		case out.apiVersion == "":
			notes = append(notes, fmt.Sprintf("%s of %s is left out: %s converts it to a type of %s, which belongs to no version", in.named.Obj().Name(), in.apiVersion, to.Name(), out.pkg.PkgPath))
		case in.apiVersion == "":
		case from == nil:
			notes = append(notes, fmt.Sprintf("%s of %s is left out: %s converts it to %s, and no function converts it back", in.named.Obj().Name(), in.apiVersion, to.Name(), out.apiVersion))
		default:
			in.to, in.from = to, from
			spokes[way.out] = append(spokes[way.out], in)
		}
	}
	best := map[string]*types.TypeName{} // the version with most spokes is the hub, of two the later one
	for hub := range spokes {
		group, _, _ := strings.Cut(versions[hub].apiVersion, "/")
		key := hub.Name() + "." + group
		if old := best[key]; old == nil || cmp.Or(cmp.Compare(len(spokes[hub]), len(spokes[old])), laterVersion(versions[hub].apiVersion, versions[old].apiVersion)) > 0 {
			best[key] = hub
		}
	}
	for key, hub := range best {
		name, group, _ := strings.Cut(key, ".")
		kinds = append(kinds, kind{name: name, group: group, form: formFunctions, hub: versions[hub], spokes: spokes[hub]})
	}
	return kinds, notes
}

// versionTypes returns the types of whole objects in the packages. A type of a package without a
// version has an empty apiVersion.
func (p *program) versionTypes() map[*types.TypeName]version {
	versions := map[*types.TypeName]version{}
	for _, pkg := range p.namedPackages() {
		groupVersion, err := p.groupVersion(pkg)
		if err != nil || strings.HasSuffix(groupVersion, "/__internal") {
			groupVersion = ""
		}
		for _, name := range pkg.Types.Scope().Names() {
			if named, ok := namedStruct(pkg.Types.Scope().Lookup(name)); ok && hasField(named, "TypeMeta") && hasField(named, "ObjectMeta") {
				versions[named.Obj()] = version{apiVersion: groupVersion, named: named, pkg: pkg}
			}
		}
	}
	return versions
}
