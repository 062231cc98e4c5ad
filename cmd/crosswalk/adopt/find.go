package adopt

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// form says how a version is converted.
type form int

const (
	formMethods      form = iota // ConvertTo(hub) error and ConvertFrom(hub) error, of controller-runtime
	formKnative                  // the same with a context before it
	formFunctions                // Convert_a_Kind_To_b_Kind(in, out, scope) error, of conversion-gen
	formConverters               // functions (context, in, out) error, given to controller-runtime's NewSpokeConverter
	formUnstructured             // ConvertTo(context, *unstructured.Unstructured) error and ConvertFrom
)

// version is a Go type of one version of a kind.
type version struct {
	apiVersion string
	named      *types.Named
	pkg        *packages.Package
	to, from   *types.Func // of a spoke
	defaults   *types.Func // SetDefaults(ctx), which knative's webhook calls on results; or nil
}

// kind is one kind of resource with its conversions.
type kind struct {
	name   string
	group  string
	form   form
	hub    version
	spokes []version
	// wrapped are the places that call conversion-gen's functions of the kind: with one, the
	// functions may be parts of the conversion only. They are "package (file:line)".
	wrapped []string
	problem error // why the kind cannot be adopted

	setUpContext bool // conversions get a context of the set-up code
}

// functionsOnly reports whether nothing but conversion-gen's functions was found: an operator may
// do more in its webhook.
func (k kind) functionsOnly() bool { return k.form == formFunctions }

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

// find returns the kinds that the packages convert, by name. Calls of NewSpokeConverter come first,
// because controller-runtime asks a registered converter before it looks for methods.
func (p *program) find() (kinds []kind, notes []string) {
	converters, failed := p.kindsOfConverters()
	methods, seen, notes := p.kindsOfMethods()
	functions, more := p.findFunctions()
	taken := map[string]bool{}
	for _, k := range converters {
		taken[k.name+"."+k.group] = true
		kinds = append(kinds, k)
	}
	for _, k := range methods {
		if !taken[k.name+"."+k.group] {
			kinds = append(kinds, k)
		}
	}
	for _, k := range functions {
		if key := k.name + "." + k.group; !taken[key] && !seen[key] {
			k.wrapped, k.problem = p.wrappers(k)
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 { // of kinds with methods, conversion-gen's functions are parts
		notes = append(notes, more...)
	}
	if failed != nil && len(kinds) == 0 {
		notes = append(notes, failed.Error())
	}
	for i := range kinds {
		if failed != nil {
			kinds[i].problem = failed // its converter may be the one that is not known
		}
		slices.SortFunc(kinds[i].spokes, func(a, b version) int { return strings.Compare(a.apiVersion, b.apiVersion) })
	}
	notes = slices.DeleteFunc(notes, func(n string) bool {
		return slices.ContainsFunc(converters, func(k kind) bool { return strings.HasPrefix(n, k.name+"."+k.group+" ") })
	})
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.name+"."+a.group, b.name+"."+b.group) })
	slices.Sort(notes)
	return kinds, notes
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
