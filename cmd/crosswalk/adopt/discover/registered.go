package discover

import (
	"go/ast"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// direction is a conversion from a type to another of the same name.
type direction struct{ in, out *types.TypeName }

var functionName = regexp.MustCompile(`^Convert_\w+_To_\w+$`)

// functions returns the packages' conversion functions between types that are wanted:
// conversion-gen's, by name, and those that are registered in a scheme. A scheme calls
// AddConversionFunc's in place of AddGeneratedConversionFunc's.
func functions(p *operator.Program, wanted func(*types.TypeName) bool) map[direction]*types.Func {
	named, generated, added := map[direction]*types.Func{}, map[direction]*types.Func{}, map[direction]*types.Func{}
	add := func(to map[direction]*types.Func, f *types.Func) {
		if way, ok := converts(f); ok && wanted(way.in) && wanted(way.out) {
			to[way] = f
		}
	}
	for _, pkg := range p.NamedPackages() {
		for _, name := range pkg.Types.Scope().Names() {
			if f, ok := pkg.Types.Scope().Lookup(name).(*types.Func); ok && functionName.MatchString(name) {
				add(named, f)
			}
		}
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 3 {
					switch f := registered(pkg, call.Args[2]); {
					case f == nil:
					case isSchemeMethod(pkg, call, "AddConversionFunc"):
						add(added, f)
					case isSchemeMethod(pkg, call, "AddGeneratedConversionFunc"):
						add(generated, f)
					}
				}
				return true
			})
		}
	}
	for _, more := range []map[direction]*types.Func{generated, added} {
		for way, f := range more {
			named[way] = f
		}
	}
	return named
}

// hasFunctions says whether a package has conversion functions: it needs no types then.
func hasFunctions(pkg *packages.Package) bool {
	for _, name := range pkg.Types.Scope().Names() {
		if f, ok := pkg.Types.Scope().Lookup(name).(*types.Func); ok {
			if _, ok := converts(f); ok {
				return true
			}
		}
	}
	return false
}

// converts returns the direction of a function (in *A, out *B[, scope]) error between types of one
// name.
func converts(f *types.Func) (direction, bool) {
	s := f.Signature()
	if n := Parameters(f); n != 2 && n != 3 || s.Results().Len() != 1 || s.Recv() != nil || s.TypeParams().Len() > 0 || !f.Exported() {
		return direction{}, false
	}
	in, out := pointed(s.Params().At(0).Type()), pointed(s.Params().At(1).Type())
	return direction{in, out}, in != nil && out != nil && in != out && in.Name() == out.Name()
}

// registered returns the function that a function literal calls with its arguments, as in
//
//	func(a, b interface{}, scope conversion.Scope) error { return Convert(a.(*v1.A), b.(*v2.A), scope) }
func registered(pkg *packages.Package, e ast.Expr) *types.Func {
	literal, ok := e.(*ast.FuncLit)
	if !ok || len(literal.Body.List) != 1 {
		return nil
	}
	result, ok := literal.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(result.Results) != 1 {
		return nil
	}
	call, ok := result.Results[0].(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return nil
	}
	for _, argument := range call.Args[:2] {
		if _, ok := argument.(*ast.TypeAssertExpr); !ok {
			return nil
		}
	}
	f, _ := pkg.TypesInfo.Uses[operator.IdentOf(call.Fun)].(*types.Func)
	return f
}

// isSchemeMethod says whether a call is of a method of runtime.Scheme.
func isSchemeMethod(pkg *packages.Package, call *ast.CallExpr, name string) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	f, ok := pkg.TypesInfo.Uses[selector.Sel].(*types.Func)
	return ok && f.Signature().Recv() != nil && Receiver(f) == "k8s.io/apimachinery/pkg/runtime.Scheme"
}

// pointed returns the name of the type that t points to.
func pointed(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		if named, ok := types.Unalias(p.Elem()).(*types.Named); ok {
			return named.Obj()
		}
	}
	return nil
}

// Receiver returns the full name of a method's type.
func Receiver(f *types.Func) string {
	t := f.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path() + "." + named.Obj().Name()
	}
	return ""
}
