package discover

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// findFunctions returns the kinds that functions convert: those between types with TypeMeta of the
// packages, in both directions. The notes name the kinds that are converted in one direction, or by
// way of a type that no API server serves.
func findFunctions(p *operator.Program, registered apiVersions) (kinds []Resource, notes []string) {
	versions := versionTypes(registered)
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
func versionTypes(registered apiVersions) map[*types.TypeName]Version {
	versions := map[*types.TypeName]Version{}
	for _, pkg := range registered.p.NamedPackages() {
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

// Receiver returns the full name of a method's type; "" for one without a package.
func Receiver(f *types.Func) string {
	if t := code.ReceiverName(f); t != nil && t.Pkg() != nil {
		return t.Pkg().Path() + "." + t.Name()
	}
	return ""
}

// wrappers returns the places in the operator's modules that call conversion-gen's functions of a
// kind: the operator's webhook may do more than the functions. Registrations in a scheme, generated
// files, tests and conversions of lists do not count. The error names the first place.
func wrappers(p *operator.Program, k Resource) (places []string, err error) {
	functions := map[string]*types.Func{}
	for _, v := range k.Spokes {
		functions[v.To.Name()], functions[v.From.Name()] = v.To, v.From
	}
	var words []string
	for name := range functions {
		words = append(words, name+"(")
	}
	for _, root := range p.Roots {
		files, err := operator.SourceFiles(root, words...)
		if err != nil {
			return nil, fmt.Errorf("looking for callers of %s: %w", words[0], err)
		}
		for _, f := range files {
			if ast.IsGenerated(f.Tree) {
				continue
			}
			for _, call := range callsOf(f, p, functions) {
				at := f.Fset.Position(call.Pos())
				name, err := filepath.Rel(root, at.Filename)
				if err != nil {
					name = at.Filename
				}
				places = append(places, fmt.Sprintf("%s:%d", filepath.ToSlash(name), at.Line))
			}
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	if len(places) > 0 {
		return places, fmt.Errorf("conversion-gen's functions are only parts of a conversion: %s calls one, and may do more; name the package that has the whole conversion, with ConvertTo and ConvertFrom or with %s%s", places[0], operator.NewSpoke, more(places))
	}
	return nil, nil
}

func more(places []string) string {
	if len(places) == 1 {
		return ""
	}
	return " (other callers: " + strings.Join(places[1:min(len(places), 4)], ", ") + ")"
}

// callsOf returns the calls of functions, without those in registrations of a scheme and in
// conversion functions, which convert values that contain the object.
func callsOf(f operator.SourceFile, p *operator.Program, functions map[string]*types.Func) (calls []*ast.CallExpr) {
	for _, d := range f.Tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && functionName.MatchString(fn.Name.Name) {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "AddConversionFunc" || s.Sel.Name == "AddGeneratedConversionFunc") {
				return false
			}
			if id := operator.IdentOf(call.Fun); id != nil && functions[id.Name] != nil && isOf(f, p, call.Fun, functions[id.Name]) {
				calls = append(calls, call)
			}
			return true
		})
	}
	return calls
}

// isOf reports whether an expression in the file names a function or a type, by the file's imports.
func isOf(f operator.SourceFile, p *operator.Program, e ast.Expr, o types.Object) bool {
	if id := operator.IdentOf(e); id == nil || id.Name != o.Name() {
		return false
	}
	if s, ok := e.(*ast.SelectorExpr); ok {
		x, ok := s.X.(*ast.Ident)
		return ok && (f.Imported(x.Name) == o.Pkg().Path() || f.Imported(x.Name) == "" && f.Imports(o.Pkg().Path()))
	}
	return filepath.Dir(f.Name) == filepath.Dir(p.Fset.Position(o.Pos()).Filename)
}
