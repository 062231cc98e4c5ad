package discover

import (
	"fmt"
	"go/ast"
	"go/types"
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
func candidates(p *operator.Program) (found map[string][]candidate, notes []string) {
	found = map[string][]candidate{}
	versions := findVersions(p)
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
func kindsOfMethods(p *operator.Program) (kinds []Resource, seen map[string]bool, notes []string) {
	found, notes := candidates(p)
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
			k.Hub, k.Problem = otherVersion(p, k)
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
