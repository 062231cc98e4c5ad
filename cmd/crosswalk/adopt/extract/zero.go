package extract

import (
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// zeroOf returns the JSON text that encoding/json writes for a zero value; ok is false if only the
// type itself knows.
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

// zeroMembers returns the members that a zero struct has in JSON. Structs in which a name occurs
// twice are left alone.
func zeroMembers(s *types.Struct, depth int) (inside []string, ok bool) {
	names := map[string]bool{}
	for i := range s.NumFields() {
		f := s.Field(i)
		tag := reflect.StructTag(s.Tag(i)).Get("json")
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
