package imports

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestPublicFace tests that embedders can use each exported declaration of host and runtime: none
// needs a type of an internal package.
func TestPublicFace(t *testing.T) {
	lookAt(t, root)
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedExportFile, Dir: root},
		"./host/...", "./runtime/...")
	if err != nil || packages.PrintErrors(loaded) > 0 || len(loaded) < 8 {
		t.Fatalf("%d packages: %v", len(loaded), err)
	}
	for _, p := range loaded {
		if isInternal(p.PkgPath) {
			continue // embedders cannot import it
		}
		for _, found := range internalTypes(p.Types) {
			t.Error(found)
		}
	}
}

// isInternal reports whether a package is below a directory named internal.
func isInternal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// internalTypes lists the uses of types of internal packages by a package's exported declarations.
func internalTypes(p *types.Package) (found []string) {
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() {
			f := face{of: p, seen: map[types.Type]bool{}}
			f.object(p.Name()+"."+name, o)
			found = append(found, f.found...)
		}
	}
	return found
}

// face follows the types that a user of one declaration can reach.
type face struct {
	of    *types.Package
	seen  map[types.Type]bool
	found []string
}

func (f *face) object(place string, o types.Object) {
	if name, ok := o.(*types.TypeName); ok && !name.IsAlias() {
		f.declaration(place, o.Type())
		return
	}
	f.visit(place, o.Type())
}

// declaration follows a type that the package declares: its exported fields and methods.
func (f *face) declaration(place string, t types.Type) {
	if f.seen[t] {
		return
	}
	f.seen[t] = true
	if named, ok := t.(*types.Named); ok {
		for method := range named.Methods() {
			if method.Exported() {
				f.visit(place+"."+method.Name(), method.Type())
			}
		}
	}
	f.visit(place, t.Underlying())
}

func (f *face) visit(place string, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		f.name(place, t.Obj(), t)
		f.visit(place, types.Unalias(t))
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			f.visit(place, arg)
		}
		f.name(place, t.Obj(), t)
	case *types.Pointer:
		f.visit(place, t.Elem())
	case *types.Slice:
		f.visit(place, t.Elem())
	case *types.Array:
		f.visit(place, t.Elem())
	case *types.Chan:
		f.visit(place, t.Elem())
	case *types.Map:
		f.visit(place, t.Key())
		f.visit(place, t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			f.visit(place, v.Type())
		}
		for v := range t.Results().Variables() {
			f.visit(place, v.Type())
		}
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() || field.Embedded() {
				f.visit(place+"."+field.Name(), field.Type())
			}
		}
	case *types.Interface:
		for method := range t.Methods() {
			if method.Exported() {
				f.visit(place+"."+method.Name(), method.Type())
			}
		}
	}
}

// name reports a name of an internal package, and follows an unexported type of the package itself,
// whose exported members are in reach. Other packages answer for their own names.
func (f *face) name(place string, o *types.TypeName, t types.Type) {
	switch {
	case o.Pkg() == nil:
	case isInternal(o.Pkg().Path()) && strings.HasPrefix(o.Pkg().Path(), project):
		f.found = append(f.found, place+" needs "+strings.TrimPrefix(o.Pkg().Path(), project)+"."+o.Name()+": embedders cannot name it")
	case o.Pkg() == f.of && !o.Exported():
		f.declaration(place, t)
	}
}
