package extract

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// A module decodes and encodes its objects with the SDK's codec. Conversions that use encoding/json
// themselves get the same codec: the copies import the SDK's package json instead, which has the
// functions below, with the same results.

const (
	encodingJSON = "encoding/json"
	OwnJSON      = gocmd.SDKPackage + "/kubebuilder/json"
	ownJSONName  = "crosswalkjson" // in copies of functions that call it
	kubeJSON     = "sigs.k8s.io/json"
)

// mergeDiffValue has the releases of a package that apimachinery's converter of objects uses.
var mergeDiffValue = regexp.MustCompile(`^sigs\.k8s\.io/structured-merge-diff/v[0-9]+/value$`)

// viaMaps is the text of a library, such as Cluster API's MarshalData, that encodes an object
// without its metadata by way of maps.
var viaMaps = regexp.MustCompile(`(?m)^(\s*)(\w+), err := runtime\.DefaultUnstructuredConverter\.ToUnstructured\((\w+)\)\s+if err != nil \{\s+return err\s+\}\s+` +
	`delete\((\w+), "metadata"\)\s+(\w+), err := json\.Marshal\((\w+)\)\s+if err != nil \{\s+return err\s+\}\n`)

// swapMaps returns a function's text with a call of the SDK's MarshalUnstructured before the steps
// of viaMaps, which remain for the objects that it does not take.
func (x *Extraction) swapMaps(u *code.Unit, text string) string {
	if f, ok := u.Node.(*ast.FuncDecl); !x.Swap || !ok || f.Body == nil || !strings.Contains(text, "DefaultUnstructuredConverter") || !encodesByMaps(u) {
		return text
	}
	return AroundMaps(text, strconv.FormatBool(knowsOmitZero(x.program)))
}

// AroundMaps is swapMaps for a text in which the names mean what they say.
func AroundMaps(text, omitZero string) string {
	found := viaMaps.FindStringSubmatchIndex(text)
	if found == nil {
		return text
	}
	part := func(n int) string { return text[found[2*n]:found[2*n+1]] }
	rest := text[found[1]:]
	object, source, result := part(2), part(3), part(5)
	named := func(name string) bool { return regexp.MustCompile(`\b` + name + `\b`).MatchString(rest) }
	if part(4) != object || part(6) != object || named(object) {
		return text
	}
	declared := ""
	if named("err") {
		declared = "\tvar err error\n\t_ = err\n"
	}
	call := fmt.Sprintf("\t%s, done := %s.MarshalUnstructured(%s, %s.Unstructured{Without: []string{\"metadata\"}, OmitZero: %s})\n", result, ownJSONName, source, ownJSONName, omitZero)
	steps := strings.Replace(part(0), result+", err := json", result+", err = json", 1)
	return text[:found[0]] + declared + call + "\tif !done {\n" + steps + "\t}\n" + rest
}

// encodesByMaps says whether a unit names apimachinery's converter and a function that encodes
// JSON.
func encodesByMaps(u *code.Unit) bool {
	there, marshals := false, false
	ast.Inspect(u.Node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := u.Package.TypesInfo.Uses[id]; o != nil && o.Pkg() != nil {
				switch o.Pkg().Path() + "." + o.Name() {
				case discover.KubeRuntime + ".DefaultUnstructuredConverter":
					there = true
				case encodingJSON + ".Marshal", discover.KubeUtilJSON + ".Marshal":
					marshals = true
				}
			}
		}
		return true
	})
	return there && marshals
}

// knowsOmitZero says whether the program's apimachinery does what the option omitzero says.
func knowsOmitZero(p *operator.Program) bool {
	pkg := p.All[discover.KubeRuntime]
	if pkg == nil {
		return false
	}
	info, ok := pkg.Types.Scope().Lookup("fieldInfo").(*types.TypeName)
	if !ok {
		return false
	}
	s, ok := info.Type().Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		if s.Field(i).Name() == "omitzero" {
			return true
		}
	}
	return false
}

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
func (x *Extraction) swapBody(u *code.Unit) string {
	f := u.Node.(*ast.FuncDecl)
	if !x.Swap || f.Recv != nil {
		return ""
	}
	function := ""
	switch name := f.Name.Name; {
	case u.Package.PkgPath == kubeJSON && name == "UnmarshalCaseSensitivePreserveInts":
		function = name
	case mergeDiffValue.MatchString(u.Package.PkgPath) && name == "unmarshal": // which decodes numbers as text, and then converts them
		function = "UnmarshalPreserveInts"
	default:
		return ""
	}
	var names []string
	for _, p := range f.Type.Params.List {
		for _, n := range p.Names {
			names = append(names, n.Name)
		}
	}
	return "{ return " + ownJSONName + "." + function + "(" + strings.Join(names, ", ") + ") }"
}

// NeedsJSON says why the copies cannot do without encoding/json; "" if they can.
func (x *Extraction) NeedsJSON() (why string) {
	for u := range x.Reached {
		_, kept := x.copy(u)
		for _, node := range kept {
			ast.Inspect(node, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if o := u.Package.TypesInfo.Uses[n]; o != nil && o.Pkg() != nil && strings.HasPrefix(o.Pkg().Path(), encodingJSON) && !swapped(o) {
						why = least(why, fmt.Sprintf("%s uses %s", u.Package.PkgPath, o.Name()))
					}
				case *ast.ExprStmt:
					if decodes(u, n.X) {
						why = least(why, u.Package.PkgPath+" ignores the error of a decoding")
					}
				case *ast.AssignStmt:
					if last, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident); ok && last.Name == "_" && decodes(u, n.Rhs[0]) {
						why = least(why, u.Package.PkgPath+" ignores the error of a decoding")
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
func decodes(u *code.Unit, e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := u.Package.TypesInfo.Uses[selector.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || !strings.HasPrefix(f.Name(), "Unmarshal") {
		return false
	}
	switch f.Pkg().Path() {
	case encodingJSON, kubeJSON, discover.KubeUtilJSON:
		return true
	}
	return false
}

// beyondCodec returns the field of a struct that the codec leaves to encoding/json; "" if there is
// none. The codec decides the same in the module, by reflection.
func beyondCodec(t types.Type) (field string) {
	switch t := t.(type) {
	case interface{ Elem() types.Type }:
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
