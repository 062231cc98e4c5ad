package adopt

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
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
			notes = append(notes, err.Error())
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
	for _, k := range p.findFunctions() {
		if _, ok := found[k.name+"."+k.group]; !ok {
			kinds = append(kinds, k)
		}
	}
	for i := range kinds {
		slices.SortFunc(kinds[i].spokes, func(a, b version) int { return strings.Compare(a.apiVersion, b.apiVersion) })
	}
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.name+"."+a.group, b.name+"."+b.group) })
	slices.Sort(notes)
	return kinds, notes
}

var functionName = regexp.MustCompile(`^Convert_\w+_To_\w+$`)

// findFunctions returns the kinds that conversion-gen's functions convert: those between types with TypeMeta of the packages, in both
// directions.
func (p *program) findFunctions() (kinds []kind) {
	type pair struct{ in, out *types.TypeName }
	functions, versions := map[pair]*types.Func{}, map[*types.TypeName]version{}
	for _, pkg := range p.initial {
		if groupVersion, err := p.groupVersion(pkg); err == nil {
			for _, name := range pkg.Types.Scope().Names() {
				if named, ok := namedStruct(pkg.Types.Scope().Lookup(name)); ok && hasField(named, "TypeMeta") && hasField(named, "ObjectMeta") {
					versions[named.Obj()] = version{apiVersion: groupVersion, named: named, pkg: pkg}
				}
			}
		}
	}
	for _, pkg := range p.initial {
		for _, name := range pkg.Types.Scope().Names() {
			f, ok := pkg.Types.Scope().Lookup(name).(*types.Func)
			if !ok || !functionName.MatchString(name) || parameters(f) != 3 {
				continue
			}
			in, out := pointed(f.Signature().Params().At(0).Type()), pointed(f.Signature().Params().At(1).Type())
			if in != nil && out != nil && in.Name() == out.Name() && in != out && versions[in].named != nil && versions[out].named != nil {
				functions[pair{in, out}] = f
			}
		}
	}
	spokes := map[*types.TypeName][]version{} // by hub
	for way, to := range functions {
		if from := functions[pair{way.out, way.in}]; from != nil {
			v := versions[way.in]
			v.to, v.from = to, from
			spokes[way.out] = append(spokes[way.out], v)
		}
	}
	best := map[string]*types.TypeName{} // the version with most spokes is the hub, of two the later one
	for hub := range spokes {
		key := hub.Name() + "." + versions[hub].apiVersion[:strings.Index(versions[hub].apiVersion, "/")]
		if old := best[key]; old == nil || cmp.Or(cmp.Compare(len(spokes[hub]), len(spokes[old])), laterVersion(versions[hub].apiVersion, versions[old].apiVersion)) > 0 {
			best[key] = hub
		}
	}
	for key, hub := range best {
		name, group, _ := strings.Cut(key, ".")
		kinds = append(kinds, kind{name: name, group: group, form: formFunctions, hub: versions[hub], spokes: spokes[hub]})
	}
	return kinds
}

// laterVersion compares apiVersions: v2 is later than v1, and v1 than v1beta2.
func laterVersion(a, b string) int {
	rank := func(s string) string {
		_, v, _ := strings.Cut(s, "/")
		if !strings.Contains(v, "alpha") && !strings.Contains(v, "beta") {
			v += "z"
		}
		return v
	}
	return strings.Compare(rank(a), rank(b))
}

// groupVersion finds the package's apiVersion: a variable such as GroupVersion, or else constants and the marker +groupName.
func (p *program) groupVersion(pkg *packages.Package) (string, error) {
	for _, name := range []string{"GroupVersion", "SchemeGroupVersion"} {
		if group, version := p.evaluate(pkg.Types.Scope().Lookup(name)); group != "" && version != "" {
			return group + "/" + version, nil
		}
	}
	for _, file := range pkg.Syntax {
		for _, c := range file.Comments {
			for _, line := range c.List {
				if _, group, ok := strings.Cut(line.Text, "+groupName="); ok {
					return strings.TrimSpace(group) + "/" + pkg.Name, nil
				}
			}
		}
	}
	return "", fmt.Errorf("the package %s is left out: its group is not known, for it has neither a variable GroupVersion nor a marker +groupName", pkg.PkgPath)
}

// evaluate returns the fields of a variable that is a literal of schema.GroupVersion.
func (p *program) evaluate(o types.Object) (group, version string) {
	v, ok := o.(*types.Var)
	if !ok {
		return "", ""
	}
	value, pkg := p.initialiser(v)
	literal, ok := value.(*ast.CompositeLit)
	if !ok {
		if id := identOf(value); id != nil && pkg.TypesInfo.Uses[id] != o {
			return p.evaluate(pkg.TypesInfo.Uses[id])
		}
		return "", ""
	}
	for i, e := range literal.Elts {
		name := []string{"Group", "Version"}[min(i, 1)]
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			name, e = pair.Key.(*ast.Ident).Name, pair.Value
		}
		text := p.textOf(pkg, e)
		switch name {
		case "Group":
			group = text
		case "Version":
			version = text
		}
	}
	return group, version
}

// textOf returns the text of a constant expression, or of a variable that is one initially.
func (p *program) textOf(pkg *packages.Package, e ast.Expr) string {
	if value := pkg.TypesInfo.Types[e].Value; value != nil && value.Kind() == constant.String {
		return constant.StringVal(value)
	}
	if id := identOf(e); id != nil {
		if v, ok := pkg.TypesInfo.Uses[id].(*types.Var); ok {
			if value, pkg := p.initialiser(v); value != nil {
				return p.textOf(pkg, value)
			}
		}
	}
	return ""
}

// initialiser returns the expression that a package's variable is declared with.
func (p *program) initialiser(v *types.Var) (ast.Expr, *packages.Package) {
	if v.Pkg() == nil || p.all[v.Pkg().Path()] == nil {
		return nil, nil
	}
	pkg := p.all[v.Pkg().Path()]
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok && len(spec.Values) == len(spec.Names) {
					for i, name := range spec.Names {
						if pkg.TypesInfo.Defs[name] == v {
							return spec.Values[i], pkg
						}
					}
				}
			}
		}
	}
	return nil, nil
}

func identOf(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}

// refusesOnly says that a knative conversion has no source to convert, as those of the version that is stored: it never asks which
// version it was given.
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

// pointed returns the name of the type that t points to.
func pointed(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		if named, ok := types.Unalias(p.Elem()).(*types.Named); ok {
			return named.Obj()
		}
	}
	return nil
}
