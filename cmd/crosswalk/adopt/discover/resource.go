package discover

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// form says how a version is converted.
type form int

const (
	FormMethods      form = iota // ConvertTo(hub) error and ConvertFrom(hub) error, of controller-runtime
	FormKnative                  // the same with a context before it
	FormFunctions                // Convert_a_Kind_To_b_Kind(in, out, scope) error, of conversion-gen
	FormConverters               // functions (context, in, out) error, given to controller-runtime's NewSpokeConverter
	FormUnstructured             // ConvertTo(context, *unstructured.Unstructured) error and ConvertFrom
)

// Version is a Go type of one version of a kind.
type Version struct {
	APIVersion string
	Named      *types.Named
	Pkg        *packages.Package
	To, From   *types.Func // of a spoke
	Defaults   *types.Func // SetDefaults(ctx), which knative's webhook calls on results; or nil
}

// Resource is one kind of resource with its conversions.
type Resource struct {
	Name   string
	Group  string
	Form   form
	Hub    Version
	Spokes []Version
	// HubAt is the place, file:line:column, where the operator names the hub for knative's webhook, if the
	// kind has more than two versions. The hub's methods then convert: To and From of each spoke are methods of
	// the hub.
	HubAt string
	// Wrapped are the places, file:line, that call conversion-gen's functions of the kind, which may be
	// parts of the conversion only, or that have conversions of a type around a version.
	Wrapped []string
	Problem error // why the kind cannot be adopted

	SetUpContext bool // conversions get a context of the set-up code
}

// FunctionsOnly reports whether nothing but conversion-gen's functions was found: an operator may
// do more in its webhook.
func (k Resource) FunctionsOnly() bool { return k.Form == FormFunctions }

func (k Resource) Versions() []Version { return append([]Version{k.Hub}, k.Spokes...) }

// File returns the module's file name, which names its conversions.
func (k Resource) File() string {
	name := k.Name + "." + k.Group
	for _, v := range k.Versions() {
		_, version, _ := strings.Cut(v.APIVersion, "/")
		name += "_" + version
	}
	return name + ".wasm"
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

// hasMember reports whether a type embeds a type of the name, itself or by way of a type around which it is.
func hasMember(named *types.Named, name string) bool {
	o, _, _ := types.LookupFieldOrMethod(named, true, named.Obj().Pkg(), name)
	field, ok := o.(*types.Var)
	return ok && field.Embedded()
}

// Method returns a method that is declared for the type itself.
func Method(named *types.Named, name string) *types.Func {
	for i := range named.NumMethods() {
		if m := named.Method(i); m.Name() == name {
			return m
		}
	}
	return nil
}

func Parameters(f *types.Func) int { return f.Signature().Params().Len() }
