package discover

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// apiVersions are the apiVersions of types. The package of a type may have the name of its kind, and its
// GroupVersion may be in another package: the registration in a scheme counts.
type apiVersions struct {
	p          *operator.Program
	registered map[*types.TypeName]string
}

// findVersions finds the registrations of types in the operator's modules: AddKnownTypes of
// runtime.Scheme, and Register of controller-runtime's scheme.Builder. A type that is registered in two
// versions has that of its package.
func findVersions(p *operator.Program) apiVersions {
	a := apiVersions{p, map[*types.TypeName]string{}}
	for _, pkg := range p.All {
		if !p.Modules[pkg.Module.Path] {
			continue
		}
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
					a.call(pkg, call)
				}
				return true
			})
		}
	}
	return a
}

// call notes the types that a call registers.
func (a apiVersions) call(pkg *packages.Package, call *ast.CallExpr) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "AddKnownTypes" && selector.Sel.Name != "Register" {
		return
	}
	f, ok := pkg.TypesInfo.Uses[selector.Sel].(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return
	}
	var group, version string
	objects := call.Args
	switch of := Receiver(f); {
	case of == KubeRuntime+".Scheme":
		group, version = groupVersionOf(a.p, pkg, call.Args[0])
		objects = call.Args[1:]
	case strings.HasSuffix(of, "sigs.k8s.io/controller-runtime/pkg/scheme.Builder"):
		if builder, ok := pkg.TypesInfo.Uses[operator.IdentOf(selector.X)].(*types.Var); ok {
			value, in := initialiser(a.p, builder)
			group, version = builderVersion(a.p, in, value)
		}
	}
	if version == "" || version == "__internal" {
		return
	}
	for _, e := range objects {
		if t := pointed(pkg.TypesInfo.TypeOf(e)); t != nil {
			known := a.registered[t]
			if a.registered[t] = group + "/" + version; known != "" && known != a.registered[t] {
				a.registered[t] = ambiguous
			}
		}
	}
}

const ambiguous = "-"

// builderVersion returns the version in &scheme.Builder{GroupVersion: …}.
func builderVersion(p *operator.Program, pkg *packages.Package, e ast.Expr) (group, version string) {
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = u.X
	}
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		return "", ""
	}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok && operator.IdentOf(pair.Key) != nil && operator.IdentOf(pair.Key).Name == "GroupVersion" {
			return groupVersionOf(p, pkg, pair.Value)
		}
	}
	return "", ""
}

// of returns the apiVersion of a type.
func (a apiVersions) of(pkg *packages.Package, t *types.TypeName) (string, error) {
	if v := a.registered[t]; v != "" && v != ambiguous {
		return v, nil
	}
	return groupVersion(a.p, pkg)
}

// any reports whether a type of the package is registered.
func (a apiVersions) any(pkg *packages.Package) bool {
	for t := range a.registered {
		if t.Pkg() == pkg.Types {
			return true
		}
	}
	return false
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

var versionName = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// groupVersion finds the package's apiVersion: a variable such as GroupVersion, or else constants
// and the marker +groupName.
func groupVersion(p *operator.Program, pkg *packages.Package) (string, error) {
	for _, name := range []string{"GroupVersion", "SchemeGroupVersion"} {
		if group, version := evaluate(p, pkg.Types.Scope().Lookup(name)); group != "" && version != "" {
			return group + "/" + version, nil
		}
	}
	for _, file := range pkg.Syntax {
		for _, c := range file.Comments {
			for _, line := range c.List {
				if _, group, ok := strings.Cut(line.Text, "+groupName="); ok && versionName.MatchString(pkg.Name) {
					return strings.TrimSpace(group) + "/" + pkg.Name, nil
				}
			}
		}
	}
	return "", fmt.Errorf("the package %s is left out: its group and version are not known, for it registers no type in a scheme, and has neither a variable GroupVersion nor, in a package named for the version, a marker +groupName", pkg.PkgPath)
}

// evaluate returns the fields of a variable that is a literal of schema.GroupVersion.
func evaluate(p *operator.Program, o types.Object) (group, version string) {
	v, ok := o.(*types.Var)
	if !ok {
		return "", ""
	}
	value, pkg := initialiser(p, v)
	return groupVersionOf(p, pkg, value)
}

// groupVersionOf returns the fields of a literal of schema.GroupVersion, or of a variable that is one.
func groupVersionOf(p *operator.Program, pkg *packages.Package, e ast.Expr) (group, version string) {
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		if id := operator.IdentOf(e); id != nil {
			return evaluate(p, pkg.TypesInfo.Uses[id])
		}
		return "", ""
	}
	for i, e := range literal.Elts {
		name := []string{"Group", "Version"}[min(i, 1)]
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			name, e = pair.Key.(*ast.Ident).Name, pair.Value
		}
		text := textOf(p, pkg, e)
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
func textOf(p *operator.Program, pkg *packages.Package, e ast.Expr) string {
	if value := pkg.TypesInfo.Types[e].Value; value != nil && value.Kind() == constant.String {
		return constant.StringVal(value)
	}
	if id := operator.IdentOf(e); id != nil {
		if v, ok := pkg.TypesInfo.Uses[id].(*types.Var); ok {
			if value, pkg := initialiser(p, v); value != nil {
				return textOf(p, pkg, value)
			}
		}
	}
	return ""
}

// initialiser returns the expression that a package's variable is declared with.
func initialiser(p *operator.Program, v *types.Var) (ast.Expr, *packages.Package) {
	p.Declare()
	u := p.Units[v]
	if u == nil {
		return nil, nil
	}
	if spec, ok := u.Node.(*ast.ValueSpec); ok && len(spec.Values) == len(spec.Names) {
		for i, name := range spec.Names {
			if u.Package.TypesInfo.Defs[name] == v {
				return spec.Values[i], u.Package
			}
		}
	}
	return nil, nil
}
