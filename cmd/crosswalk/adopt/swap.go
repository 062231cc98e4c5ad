package adopt

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"strings"
)

// A module decodes and encodes its objects with the SDK's codec. Conversions that use encoding/json
// themselves get the same codec: the copies import the SDK's package json instead, which has the
// functions below, with the same results.

const (
	encodingJSON = "encoding/json"
	ownJSON      = sdkModule + "/kubebuilder/json"
	ownJSONName  = "crosswalkjson" // in copies of functions that call it
	kubeJSON     = "sigs.k8s.io/json"
	kubeUtilJSON = "k8s.io/apimachinery/pkg/util/json"
)

// swapped says whether the SDK's package has a function, type or method of encoding/json.
func swapped(o types.Object) bool {
	switch o.Name() {
	case "Marshal", "Unmarshal", "Valid", "RawMessage", "Marshaler", "Unmarshaler", "MarshalJSON", "UnmarshalJSON":
		return true
	}
	return false
}

// swapBody returns the body that replaces a library's function by one of the SDK; "" if the
// function keeps its own.
func (x *extraction) swapBody(u *unit) string {
	f := u.node.(*ast.FuncDecl)
	if !x.swap || u.pkg.PkgPath != kubeJSON || f.Recv != nil || f.Name.Name != "UnmarshalCaseSensitivePreserveInts" {
		return ""
	}
	var names []string
	for _, p := range f.Type.Params.List {
		for _, n := range p.Names {
			names = append(names, n.Name)
		}
	}
	return "{ return " + ownJSONName + "." + f.Name.Name + "(" + strings.Join(names, ", ") + ") }"
}

// needsJSON says why the copies cannot do without encoding/json; "" if they can.
func (x *extraction) needsJSON() (why string) {
	for u := range x.reached {
		_, kept := x.copy(u)
		for _, node := range kept {
			ast.Inspect(node, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if o := u.pkg.TypesInfo.Uses[n]; o != nil && o.Pkg() != nil && strings.HasPrefix(o.Pkg().Path(), encodingJSON) && !swapped(o) {
						why = least(why, fmt.Sprintf("%s uses %s", u.pkg.PkgPath, o.Name()))
					}
				case *ast.ExprStmt:
					if x.decodes(u, n.X) {
						why = least(why, u.pkg.PkgPath+" ignores the error of a decoding")
					}
				case *ast.AssignStmt:
					if last, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident); ok && last.Name == "_" && x.decodes(u, n.Rhs[0]) {
						why = least(why, u.pkg.PkgPath+" ignores the error of a decoding")
					}
				}
				return true
			})
		}
	}
	for _, named := range x.named {
		if field := beyondCodec(named.Underlying()); field != "" {
			why = least(why, fmt.Sprintf("the codec cannot do the field %s of %s", field, named))
		}
	}
	return why
}

// least keeps the report the same in each run.
func least(a, b string) string {
	if a == "" || b < a {
		return b
	}
	return a
}

// decodes says whether an expression calls a function that decodes JSON.
func (x *extraction) decodes(u *unit, e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := u.pkg.TypesInfo.Uses[selector.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || !strings.HasPrefix(f.Name(), "Unmarshal") {
		return false
	}
	switch f.Pkg().Path() {
	case encodingJSON, kubeJSON, kubeUtilJSON:
		return true
	}
	return false
}

// beyondCodec returns the field of a struct that the codec leaves to encoding/json; "" if there is
// none. The codec decides the same in the module, by reflection.
func beyondCodec(t types.Type) (field string) {
	switch t := t.(type) {
	case *types.Pointer:
		return beyondCodec(t.Elem())
	case *types.Slice:
		return beyondCodec(t.Elem())
	case *types.Array:
		return beyondCodec(t.Elem())
	case *types.Map:
		return beyondCodec(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			f := t.Field(i)
			name, _, _ := strings.Cut(reflect.StructTag(t.Tag(i)).Get("json"), ",")
			if f.Anonymous() && !f.Exported() && name != "" && name != "-" {
				return f.Name()
			}
			if i, ok := f.Type().Underlying().(*types.Interface); ok && (hasMethod(i, "MarshalJSON") || hasMethod(i, "MarshalText")) {
				return f.Name()
			}
			if inner := beyondCodec(types.Unalias(f.Type())); inner != "" {
				return f.Name() + "." + inner
			}
		}
	}
	return ""
}

func hasMethod(i *types.Interface, name string) bool {
	for n := range i.NumMethods() {
		if i.Method(n).Name() == name {
			return true
		}
	}
	return false
}
