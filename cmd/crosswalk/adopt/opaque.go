package adopt

import (
	"fmt"
	"go/ast"
	"go/types"
	"io"
	"slices"
	"strconv"
	"strings"
)

// opaque are the struct types that every version has and no reached function looks into. Each becomes a struct with a string, the
// JSON text of the value, which a conversion copies as a whole.
type opaque struct {
	types map[*types.TypeName]string // the JSON text of a zero value
	shown map[*types.TypeName]bool   // values of these types get into interfaces: fmt may print them
}

// opaqueField is the field of the struct that stands for an opaque type; the SDK's codec knows it.
const opaqueField = "crosswalkOpaque"

// keepText says whether fmt's methods of a type are kept.
func (o *opaque) keepText(t *types.TypeName) bool { return o.shown[t] }

// drops says whether a method is left out: those of opaque types, except for copies.
func (o *opaque) drops(f *types.Func) bool {
	return o.types[receiverName(f)] != "" && f.Name() != "DeepCopy" && f.Name() != "DeepCopyInto"
}

// replacement returns the text that stands for a declaration of an opaque type.
func (o *opaque) replacement(x *extraction, u *unit) (string, bool) {
	if len(u.defs) == 0 {
		return "", false
	}
	switch d := u.defs[0].(type) {
	case *types.TypeName:
		if zero := o.types[d]; zero != "" {
			return fmt.Sprintf("type %s struct {\n\t%s string `zero:%s`\n}", d.Name(), opaqueField, strconv.Quote(zero)), true
		}
	case *types.Func:
		if d.Signature().Recv() != nil && receiver(d) == fieldsV1 && (d.Name() == "MarshalJSON" || d.Name() == "UnmarshalJSON") {
			if head, ok := x.head(u); ok && d.Name() == "MarshalJSON" {
				return head + `{ return []byte("null"), nil }`, true
			} else if ok {
				return head + "{ return nil }", true
			}
		}
		if o.types[receiverName(d)] != "" && d.Name() == "DeepCopyInto" {
			f := u.node.(*ast.FuncDecl)
			head, ok := x.head(u)
			if !ok || len(f.Recv.List[0].Names) == 0 {
				return "", false
			}
			return fmt.Sprintf("%s{ *%s = *%s }", head, f.Type.Params.List[0].Names[0].Name, f.Recv.List[0].Names[0].Name), true
		}
	}
	return "", false
}

// fieldsV1 is the type of managedFields, which a module is never shown: its methods are stubs, for they need all of CBOR.
const fieldsV1 = "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1"

// head returns the text of a function before its body.
func (x *extraction) head(u *unit) (string, bool) {
	f := u.node.(*ast.FuncDecl)
	source, err := x.program.text(x.program.fset.Position(f.Pos()).Filename)
	if err != nil || f.Body == nil {
		return "", false
	}
	return string(source[x.offset(f.Pos()):x.offset(f.Body.Lbrace)]), true
}

func (o *opaque) print(w io.Writer) {
	var names []string
	for t := range o.types {
		names = append(names, t.Pkg().Name()+"."+t.Name())
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	fmt.Fprintf(w, "opaque, carried as text: %s\n", strings.Join(names, ", "))
}

// receiverName returns the name of a method's type; nil for functions.
func receiverName(f *types.Func) *types.TypeName {
	if f.Signature().Recv() == nil {
		return nil
	}
	t := f.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Origin().Obj()
	}
	return nil
}

// findOpaque finds the opaque types of a kind, and of which types fmt may print values.
func findOpaque(p *program, roots []types.Object, k kind, wanted bool) (*opaque, error) {
	s := newProof(p)
	o := &opaque{types: map[*types.TypeName]string{}, shown: map[*types.TypeName]bool{}}
	for {
		x, err := extract(p, roots, o)
		if err != nil {
			return nil, err
		}
		before := len(s.shown)
		if err := s.look(x); err != nil {
			return nil, err
		}
		o.shown = s.shown
		if len(s.shown) > before {
			continue // more methods are reached now
		}
		if wanted {
			for t := range shared(k) {
				if zero, ok := zeroOf(t.Type(), 0); ok && zero[0] == '{' && !s.touched[t] && s.candidate(x, t, k) {
					o.types[t] = zero
				}
			}
		}
		return o, nil
	}
}

// shared returns the named struct types that are members of every version.
func shared(k kind) map[*types.TypeName]bool {
	var all map[*types.TypeName]bool
	for _, v := range k.versions() {
		found := map[*types.TypeName]bool{}
		members(v.named, found, map[types.Type]bool{})
		if all == nil {
			all = found
			continue
		}
		for t := range all {
			if !found[t] {
				delete(all, t)
			}
		}
	}
	return all
}

// members notes the named struct types among the exported members of a type, at every depth.
func members(t types.Type, found map[*types.TypeName]bool, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		if _, ok := t.Underlying().(*types.Struct); ok && t.Obj().Pkg() != nil {
			found[t.Obj()] = true
		}
		members(t.Underlying(), found, seen)
	case *types.Pointer:
		members(t.Elem(), found, seen)
	case *types.Slice:
		members(t.Elem(), found, seen)
	case *types.Array:
		members(t.Elem(), found, seen)
	case *types.Map:
		members(t.Elem(), found, seen)
	case *types.Struct:
		for i := range t.NumFields() {
			if t.Field(i).Exported() {
				members(t.Field(i).Type(), found, seen)
			}
		}
	}
}

// zeroOf returns the JSON text that encoding/json writes for a zero value; ok is false if only the type itself knows.
func zeroOf(t types.Type, depth int) (text string, ok bool) {
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		name := named.Obj().Name()
		if named.Obj().Pkg() != nil {
			name = named.Obj().Pkg().Path() + "." + name
		}
		if zero := zeroOfKnown()[name]; zero != "" {
			return zero, true
		}
		set := types.NewMethodSet(types.NewPointer(named))
		for _, m := range []string{"MarshalJSON", "MarshalText", "UnmarshalJSON", "UnmarshalText"} {
			if set.Lookup(nil, m) != nil {
				return "", false
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsString != 0:
			return `""`, true
		case info&types.IsBoolean != 0:
			return "false", true
		case info&types.IsNumeric != 0:
			return "0", true
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		return "null", true
	case *types.Struct:
		if depth > 20 {
			return "", false
		}
		inside, ok := zeroMembers(u, depth)
		return "{" + strings.Join(inside, ",") + "}", ok
	}
	return "", false
}

func zeroOfKnown() map[string]string {
	const meta = "k8s.io/apimachinery/pkg/apis/meta/v1."
	return map[string]string{
		meta + "Time": "null", meta + "MicroTime": "null", meta + "Duration": `"0s"`, meta + "FieldsV1": "null",
		"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               "0",
		"k8s.io/apimachinery/pkg/runtime.RawExtension":                  "null",
		"k8s.io/apimachinery/pkg/api/resource.Quantity":                 `"0"`,
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "null",
	}
}

// zeroMembers returns the members that a zero struct has in JSON. Structs in which a name occurs twice are left alone.
func zeroMembers(s *types.Struct, depth int) (inside []string, ok bool) {
	names := map[string]bool{}
	for i := range s.NumFields() {
		f := s.Field(i)
		tag := tagOf(s.Tag(i))
		name, options, _ := strings.Cut(tag, ",")
		if tag == "-" || !f.Exported() && !f.Embedded() {
			continue
		}
		if f.Embedded() && name == "" {
			t := types.Unalias(f.Type())
			if _, ok := t.(*types.Pointer); ok {
				continue
			}
			embedded, ok := t.Underlying().(*types.Struct)
			if !ok {
				return nil, false
			}
			more, ok := zeroMembers(embedded, depth+1)
			if !ok {
				return nil, false
			}
			inside = append(inside, more...)
			continue
		}
		if name == "" {
			name = f.Name()
		}
		if names[name] {
			return nil, false
		}
		names[name] = true
		_, isStruct := f.Type().Underlying().(*types.Struct)
		_, isArray := f.Type().Underlying().(*types.Array)
		if has(options, "omitzero") || has(options, "omitempty") && !isStruct && !isArray {
			continue
		}
		zero, ok := zeroOf(f.Type(), depth+1)
		if !ok {
			return nil, false
		}
		if has(options, "string") {
			return nil, false
		}
		inside = append(inside, strconv.Quote(name)+":"+zero)
	}
	return inside, true
}

func has(options, option string) bool {
	return slices.Contains(strings.Split(options, ","), option)
}

// tagOf returns the json part of a struct tag.
func tagOf(tag string) string {
	_, rest, ok := strings.Cut(" "+tag, ` json:"`)
	if !ok {
		return ""
	}
	value, _, _ := strings.Cut(rest, `"`)
	return value
}
