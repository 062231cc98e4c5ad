package adopt

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// form says how a version is converted.
type form int

const (
	formMethods   form = iota // ConvertTo(hub) error and ConvertFrom(hub) error, of controller-runtime
	formKnative               // the same with a context before it
	formFunctions             // Convert_a_Kind_To_b_Kind(in, out, scope) error, of conversion-gen
)

// version is a Go type of one version of a kind.
type version struct {
	apiVersion string
	named      *types.Named
	pkg        *packages.Package
	to, from   *types.Func // of a spoke
}

// kind is one kind of resource with its conversions.
type kind struct {
	name   string
	group  string
	form   form
	hub    version
	spokes []version
}

func (k kind) versions() []version { return append([]version{k.hub}, k.spokes...) }

// file returns the module's file name, which names its conversions.
func (k kind) file() string {
	name := k.name + "." + k.group
	for _, v := range k.versions() {
		_, version, _ := strings.Cut(v.apiVersion, "/")
		name += "_" + version
	}
	return name + ".wasm"
}

// find returns the kinds that the packages convert, by name.
func (p *program) find() (kinds []kind, notes []string) {
	type candidate struct {
		version
		form form
		hub  bool
	}
	found := map[string][]candidate{} // by kind and group
	for _, pkg := range p.initial {
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
			case c.to != nil && c.from != nil && parameters(c.to) == 1 && parameters(c.from) == 1:
			case c.to != nil && c.from != nil && parameters(c.to) == 2 && parameters(c.from) == 2:
				c.form = formKnative
				c.hub = refusesOnly(p, c.to)
			default:
				continue
			}
			key := name + "." + group
			found[key] = append(found[key], c)
		}
	}
	for key, list := range found {
		name, group, _ := strings.Cut(key, ".")
		k := kind{name: name, group: group}
		for _, c := range list {
			switch {
			case c.hub && k.hub.named == nil:
				k.hub, k.form = c.version, max(k.form, c.form)
			case c.hub:
				notes = append(notes, fmt.Sprintf("%s has two hubs, %s and %s: the first is taken", key, k.hub.apiVersion, c.apiVersion))
			default:
				k.spokes, k.form = append(k.spokes, c.version), max(k.form, c.form)
			}
		}
		if k.hub.named == nil || len(k.spokes) == 0 {
			var have []string
			for _, c := range list {
				have = append(have, c.apiVersion)
			}
			notes = append(notes, fmt.Sprintf("%s is left out: it needs a hub and a version that converts to it, and the packages have %s", key, strings.Join(have, ", ")))
			continue
		}
		kinds = append(kinds, k)
	}
	converted, more := p.findFunctions()
	for _, k := range converted {
		if _, ok := found[k.name+"."+k.group]; !ok {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 { // of kinds with methods, conversion-gen's functions are parts
		notes = append(notes, more...)
	}
	for i := range kinds {
		slices.SortFunc(kinds[i].spokes, func(a, b version) int { return strings.Compare(a.apiVersion, b.apiVersion) })
	}
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.name+"."+a.group, b.name+"."+b.group) })
	slices.Sort(notes)
	return kinds, notes
}

// refusesOnly says that a knative conversion has no source to convert, as those of the version that
// is stored: it never asks which version it was given.
func refusesOnly(p *program, f *types.Func) bool {
	pkg := p.all[f.Pkg().Path()]
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

func namedStruct(o types.Object) (*types.Named, bool) {
	name, ok := o.(*types.TypeName)
	if !ok || name.IsAlias() || !name.Exported() {
		return nil, false
	}
	named, ok := name.Type().(*types.Named)
	if !ok || named.TypeParams().Len() > 0 {
		return nil, false
	}
	_, ok = named.Underlying().(*types.Struct)
	return named, ok
}

func hasField(named *types.Named, name string) bool {
	s := named.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		if s.Field(i).Name() == name && s.Field(i).Embedded() {
			return true
		}
	}
	return false
}

// method returns a method that is declared for the type itself.
func method(named *types.Named, name string) *types.Func {
	for i := range named.NumMethods() {
		if m := named.Method(i); m.Name() == name {
			return m
		}
	}
	return nil
}

func parameters(f *types.Func) int { return f.Signature().Params().Len() }
