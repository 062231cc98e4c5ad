package discover

import (
	"go/ast"
	"go/token"
	"go/types"
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
