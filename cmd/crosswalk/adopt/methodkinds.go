package adopt

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// candidate is a type with conversion methods, or a hub.
type candidate struct {
	version
	form form
	hub  bool
}

// candidates returns the candidates of the packages by kind and group.
func (p *program) candidates() (found map[string][]candidate, notes []string) {
	found = map[string][]candidate{}
	for _, pkg := range p.namedPackages() {
		groupVersion, err := p.groupVersion(pkg)
		if err != nil {
			if !hasFunctions(pkg) {
				notes = append(notes, err.Error())
			}
			continue
		}
		group, _, _ := strings.Cut(groupVersion, "/")
		for _, name := range pkg.Types.Scope().Names() {
			named, ok := namedStruct(pkg.Types.Scope().Lookup(name))
			if !ok || !hasField(named, "TypeMeta") {
				continue
			}
			c := candidate{version: version{apiVersion: groupVersion, named: named, pkg: pkg}}
			c.to, c.from = method(named, "ConvertTo"), method(named, "ConvertFrom")
			hub := method(named, "Hub")
			switch {
			case hub != nil && parameters(hub) == 0:
				c.hub = true
			case c.to == nil || c.from == nil:
				continue
			case parameters(c.to) == 1 && parameters(c.from) == 1:
			case takesUnstructured(c.to) && takesUnstructured(c.from):
				c.form = formUnstructured
			case parameters(c.to) == 2 && parameters(c.from) == 2:
				c.form, c.defaults = formKnative, setsDefaults(named)
				if c.hub = refusesOnly(p, c.to); c.hub {
					c.to, c.from = nil, nil
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
func (p *program) kindsOfMethods() (kinds []kind, seen map[string]bool, notes []string) {
	found, notes := p.candidates()
	seen = map[string]bool{}
	for key, list := range found {
		seen[key] = true
		name, group, _ := strings.Cut(key, ".")
		k := kind{name: name, group: group}
		for _, c := range list {
			switch {
			case c.hub && k.hub.named == nil:
				k.hub, k.form = c.version, max(k.form, c.form)
			case c.hub:
				k.problem = fmt.Errorf("two types are hubs, %s (%s) and %s (%s): a kind has one hub, and adopt does not choose; name only the packages that one webhook serves",
					typeName(k.hub.named), p.at(k.hub.named.Obj().Pos()), typeName(c.named), p.at(c.named.Obj().Pos()))
			default:
				k.spokes, k.form = append(k.spokes, c.version), max(k.form, c.form)
			}
		}
		if k.form == formUnstructured {
			k.hub, k.problem = p.otherVersion(k)
			kinds = append(kinds, k)
			continue
		}
		if k.hub.named != nil && len(k.spokes) > 0 {
			kinds = append(kinds, k)
			continue
		}
		var have []string
		for _, c := range list {
			have = append(have, c.apiVersion)
		}
		note := fmt.Sprintf("%s is left out: it needs a hub and a version that converts to it, and the packages have %s", key, strings.Join(have, ", "))
		if k.hub.named == nil {
			if hub := hubElsewhere(found, name, group); hub != nil {
				note = p.groups(k.spokes[0], *hub)
			}
		} else if isSpokeElsewhere(found, name, group) {
			continue // the note of the spoke has both
		}
		notes = append(notes, note)
	}
	return kinds, seen, notes
}

// hubElsewhere returns the hub of a kind of the same name in another group.
func hubElsewhere(found map[string][]candidate, name, group string) *version {
	for key, list := range found {
		if other, g, _ := strings.Cut(key, "."); other != name || g == group {
			continue
		}
		if i := slices.IndexFunc(list, func(c candidate) bool { return c.hub }); i >= 0 && len(list) == 1 {
			return &list[i].version
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
func (p *program) groups(spoke, hub version) string {
	return fmt.Sprintf("%s of %s (%s) is left out: its hub is of another group, %s (%s), and an API server asks a webhook only for conversions within one group; objects have to be copied to the other group by a program",
		spoke.named.Obj().Name(), spoke.apiVersion, p.at(spoke.named.Obj().Pos()), hub.apiVersion, p.at(hub.named.Obj().Pos()))
}

// typeName returns a type's name with its package's path.
func typeName(named *types.Named) string {
	return named.Obj().Pkg().Path() + "." + named.Obj().Name()
}

// setsDefaults returns the method SetDefaults(ctx) of a type; nil if it has none. knative's webhook
// calls it on each result (webhook/resourcesemantics/conversion of knative.dev/pkg).
func setsDefaults(named *types.Named) *types.Func {
	f := method(named, "SetDefaults")
	if f == nil || parameters(f) != 1 || f.Signature().Results().Len() != 0 || !isContext(f.Signature().Params().At(0).Type()) {
		return nil
	}
	return f
}

// refusesOnly says that a knative conversion has no source to convert, as those of the version that
// is stored: it never asks which version it was given.
func refusesOnly(p *program, f *types.Func) bool {
	pkg := p.All[f.Pkg().Path()]
	asserts := false
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && pkg.TypesInfo.Defs[d.Name] == f {
				ast.Inspect(d, func(n ast.Node) bool {
					if _, ok := n.(*ast.TypeAssertExpr); ok {
						asserts = true
					}
					return true
				})
			}
		}
	}
	return !asserts
}

func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context" && named.Obj().Name() == "Context"
}
