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
