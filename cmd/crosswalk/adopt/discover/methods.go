package discover

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// candidate is a type with conversion methods, or a hub.
type candidate struct {
	Version
	form form
	hub  bool
}

// candidates returns the candidates of the packages by kind and group.
func candidates(p *operator.Program, versions apiVersions) (found map[string][]candidate, notes []string) {
	found = map[string][]candidate{}
	for _, pkg := range p.NamedPackages() {
		if _, err := groupVersion(p, pkg); err != nil && !versions.any(pkg) {
			if !hasFunctions(pkg) {
				notes = append(notes, err.Error())
			}
			continue
		}
		for _, name := range pkg.Types.Scope().Names() {
			named, ok := namedStruct(pkg.Types.Scope().Lookup(name))
			if !ok || !hasMember(named, "TypeMeta") {
				continue
			}
			apiVersion, err := versions.of(pkg, named.Obj())
			if err != nil {
				continue
			}
			group, _, _ := strings.Cut(apiVersion, "/")
			c := candidate{Version: Version{APIVersion: apiVersion, Named: named, Pkg: pkg}}
			c.To, c.From = Method(named, "ConvertTo"), Method(named, "ConvertFrom")
			hub := Method(named, "Hub")
			switch {
			case hub != nil && Parameters(hub) == 0:
				c.hub = true
			case c.To == nil || c.From == nil:
				continue
			case Parameters(c.To) == 1 && Parameters(c.From) == 1:
			case takesUnstructured(c.To) && takesUnstructured(c.From):
				c.form = FormUnstructured
			case Parameters(c.To) == 2 && Parameters(c.From) == 2:
				c.form, c.Defaults = FormKnative, setsDefaults(named)
				if c.hub = refusesOnly(p, c.To); c.hub {
					c.To, c.From = nil, nil
				}
			default:
				continue
			}
			key := name + "." + group
			found[key] = append(found[key], c)
		}
	}
	return found, notes
}

// kindsOfMethods returns the kinds whose types have conversion methods. seen are the kinds with any
// such type.
func kindsOfMethods(p *operator.Program, versions apiVersions) (kinds []Resource, seen map[string]bool, notes []string) {
	found, notes := candidates(p, versions)
	seen = map[string]bool{}
	for key, list := range found {
		seen[key] = true
		name, group, _ := strings.Cut(key, ".")
		k := Resource{Name: name, Group: group}
		for _, c := range list {
			switch {
			case c.hub && k.Hub.Named == nil:
				k.Hub, k.Form = c.Version, max(k.Form, c.form)
			case c.hub:
				k.Problem = fmt.Errorf("two types are hubs, %s (%s) and %s (%s): a kind has one hub, and adopt does not choose; name only the packages that one webhook serves",
					typeName(k.Hub.Named), p.At(k.Hub.Named.Obj().Pos()), typeName(c.Named), p.At(c.Named.Obj().Pos()))
			default:
				k.Spokes, k.Form = append(k.Spokes, c.Version), max(k.Form, c.form)
			}
		}
		if k.Form == FormUnstructured {
			k.Hub, k.Problem = otherVersion(p, versions, k)
			kinds = append(kinds, k)
			continue
		}
		if k.Form == FormKnative && len(list) > 2 {
			k = throughHub(p, k, list)
		}
		if k.Hub.Named != nil && len(k.Spokes) > 0 {
			kinds = append(kinds, k)
			continue
		}
		var have []string
		for _, c := range list {
			have = append(have, c.APIVersion)
		}
		note := fmt.Sprintf("%s is left out: it needs a hub and a version that converts to it, and the packages have %s", key, strings.Join(have, ", "))
		if k.Hub.Named == nil {
			if hub := hubElsewhere(found, name, group); hub != nil {
				note = groups(p, k.Spokes[0], *hub)
			}
		} else if isSpokeElsewhere(found, name, group) {
			continue // the note of the spoke has both
		}
		notes = append(notes, note)
	}
	return kinds, seen, notes
}

// hubElsewhere returns the hub of a kind of the same name in another group.
func hubElsewhere(found map[string][]candidate, name, group string) *Version {
	for key, list := range found {
		if other, g, _ := strings.Cut(key, "."); other != name || g == group {
			continue
		}
		if i := slices.IndexFunc(list, func(c candidate) bool { return c.hub }); i >= 0 && len(list) == 1 {
			return &list[i].Version
		}
	}
	return nil
}

// isSpokeElsewhere reports whether a kind of the same name in another group has no hub.
func isSpokeElsewhere(found map[string][]candidate, name, group string) bool {
	for key, list := range found {
		other, g, _ := strings.Cut(key, ".")
		if other == name && g != group && !slices.ContainsFunc(list, func(c candidate) bool { return c.hub }) {
			return true
		}
	}
	return false
}

// groups is the note about a conversion from one group to another.
func groups(p *operator.Program, spoke, hub Version) string {
	return fmt.Sprintf("%s of %s (%s) is left out: its hub is of another group, %s (%s), and an API server asks a webhook only for conversions within one group; objects have to be copied to the other group by a program",
		spoke.Named.Obj().Name(), spoke.APIVersion, p.At(spoke.Named.Obj().Pos()), hub.APIVersion, p.At(hub.Named.Obj().Pos()))
}

// typeName returns a type's name with its package's path.
func typeName(named *types.Named) string {
	return named.Obj().Pkg().Path() + "." + named.Obj().Name()
}

// setsDefaults returns the method SetDefaults(ctx) of a type; nil if it has none. knative's webhook
// calls it on each result (webhook/resourcesemantics/conversion of knative.dev/pkg).
func setsDefaults(named *types.Named) *types.Func {
	f := Method(named, "SetDefaults")
	if f == nil || Parameters(f) != 1 || f.Signature().Results().Len() != 0 || !isContext(f.Signature().Params().At(0).Type()) {
		return nil
	}
	return f
}

// refusesOnly says that a knative conversion has no source to convert, as those of the version that
// is stored: it never asks which version it was given.
func refusesOnly(p *operator.Program, f *types.Func) bool {
	p.Declare()
	asserts := false
	if u := p.Units[f]; u != nil {
		ast.Inspect(u.Node, func(n ast.Node) bool {
			if _, ok := n.(*ast.TypeAssertExpr); ok {
				asserts = true
			}
			return true
		})
	}
	return !asserts
}

func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context" && named.Obj().Name() == "Context"
}

// overridden returns the places in the operator's modules where a type of another package embeds a version
// of a kind and has conversions of its own: the operator's webhook may call these, and not the version's.
// The error names the first place.
func overridden(p *operator.Program, k Resource) (places []string, err error) {
	for _, root := range p.Roots {
		files, err := operator.SourceFiles(root, ") ConvertTo(", ") ConvertFrom(")
		if err != nil {
			return nil, fmt.Errorf("looking for other conversions of %s: %w", k.Name, err)
		}
		for _, f := range files {
			if slices.ContainsFunc(k.Versions(), func(v Version) bool {
				return filepath.Dir(p.Fset.Position(v.Named.Obj().Pos()).Filename) == filepath.Dir(f.Name)
			}) {
				continue // a version may embed another
			}
			around := map[string]Version{}
			for _, v := range k.Versions() {
				for _, name := range embedding(f, p, v) {
					around[name] = v
				}
			}
			for _, d := range f.Tree.Decls {
				m, ok := d.(*ast.FuncDecl)
				if !ok || m.Recv == nil || m.Name.Name != "ConvertTo" && m.Name.Name != "ConvertFrom" {
					continue
				}
				id := operator.IdentOf(starless(m.Recv.List[0].Type))
				if id == nil || around[id.Name].Named == nil {
					continue
				}
				at := f.Fset.Position(m.Pos())
				name, relErr := filepath.Rel(root, at.Filename)
				if relErr != nil {
					name = at.Filename
				}
				places = append(places, fmt.Sprintf("%s:%d", filepath.ToSlash(name), at.Line))
			}
		}
	}
	if len(places) > 0 {
		return places, fmt.Errorf("a type that embeds %s has conversions of its own (%s), which the operator's webhook may call instead: name its package%s", k.Name, places[0], more(places))
	}
	return nil, nil
}

// embedding returns the names of the structs in a file that embed a version, of another package.
func embedding(f operator.SourceFile, p *operator.Program, v Version) (names []string) {
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		s, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range s.Fields.List {
			if at, ok := starless(field.Type).(*ast.SelectorExpr); ok && len(field.Names) == 0 && isOf(f, p, at, v.Named.Obj()) {
				names = append(names, spec.Name.Name)
			}
		}
		return true
	})
	return names
}

func starless(e ast.Expr) ast.Expr {
	if star, ok := e.(*ast.StarExpr); ok {
		return star.X
	}
	return e
}

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
func otherVersion(p *operator.Program, registered apiVersions, k Resource) (Version, error) {
	if len(k.Spokes) > 1 {
		return Version{}, fmt.Errorf("the versions %s and %s both convert by way of unstructured objects (%s), whose version cannot be known without running them: name the packages of two versions", k.Spokes[0].APIVersion, k.Spokes[1].APIVersion, p.At(k.Spokes[0].To.Pos()))
	}
	var others []Version
	for _, v := range versionTypes(registered) {
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
