package adopt

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// proof finds out which struct types the reached functions look into, from their SSA form: there, each conversion to an
// interface, each field and each comparison is an instruction.
type proof struct {
	program *program
	ssa     *ssa.Program
	broken  map[string]error // packages that do not type-check as a whole
	built   map[*ssa.Package]bool

	touched map[*types.TypeName]bool // looked into
	shown   map[*types.TypeName]bool // in interfaces, where reflection and fmt reach them
	known   map[*types.TypeName]bool // all that were seen
	pairs   map[[2]types.Type]bool   // memory that is used as two types
}

func newProof(p *program) *proof {
	s := &proof{
		program: p, ssa: ssa.NewProgram(p.fset, 0), broken: map[string]error{}, built: map[*ssa.Package]bool{},
		touched: map[*types.TypeName]bool{}, shown: map[*types.TypeName]bool{}, known: map[*types.TypeName]bool{}, pairs: map[[2]types.Type]bool{},
	}
	packages.Visit(p.initial, nil, func(pkg *packages.Package) {
		if pkg.Types == nil {
			return
		}
		if p.all[pkg.PkgPath] != nil && len(pkg.Errors) == 0 {
			s.ssa.CreatePackage(pkg.Types, pkg.Syntax, pkg.TypesInfo, true)
			return
		}
		if p.all[pkg.PkgPath] != nil {
			s.broken[pkg.PkgPath] = pkg.Errors[0]
		}
		s.ssa.CreatePackage(pkg.Types, nil, nil, true)
	})
	return s
}

// look goes through the functions that are reached.
func (s *proof) look(x *extraction) error {
	reachedVariables := map[*ast.File][]*unit{}
	for u := range x.reached {
		if err := s.broken[u.pkg.PkgPath]; err != nil {
			return fmt.Errorf("the package %s does not compile for wasip1/wasm: %w", u.pkg.PkgPath, err)
		}
		if u.tok == token.VAR {
			reachedVariables[u.file] = append(reachedVariables[u.file], u)
		}
	}
	initialisers := map[*ssa.Package]bool{}
	for u := range x.reached {
		pkg := s.ssa.Package(u.pkg.Types)
		if !s.built[pkg] {
			s.built[pkg] = true
			pkg.Build()
		}
		for _, o := range u.defs {
			switch o := o.(type) {
			case *types.Func:
				if f := s.ssa.FuncValue(o); f != nil && !copies(o) {
					s.function(f, nil)
				}
			case *types.Var:
				if !initialisers[pkg] {
					initialisers[pkg] = true
					s.function(pkg.Func("init"), func(p token.Pos) bool {
						for _, list := range reachedVariables {
							for _, u := range list {
								if u.node.Pos() <= p && p <= u.node.End() {
									return true
								}
							}
						}
						return false
					})
				}
			case *types.TypeName:
				s.known[o] = true
			}
		}
		if f, ok := u.node.(*ast.FuncDecl); ok && f.Name.Name == "init" && f.Recv == nil {
			for _, m := range pkg.Members {
				if m, ok := m.(*ssa.Function); ok && m.Syntax() == f {
					s.function(m, nil)
				}
			}
		}
	}
	return nil
}

// copies says whether a function is a generated copy: it copies all fields, and looks at none.
func copies(f *types.Func) bool {
	return f.Signature().Recv() != nil && (f.Name() == "DeepCopy" || f.Name() == "DeepCopyInto" || f.Name() == "DeepCopyObject")
}

// function looks at the instructions of a function, of those at positions within, if that is not nil.
func (s *proof) function(f *ssa.Function, within func(token.Pos) bool) {
	if f == nil {
		return
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if within == nil || i.Pos() == token.NoPos || within(i.Pos()) {
				s.instruction(i)
			}
		}
	}
	for _, inner := range f.AnonFuncs {
		if within == nil || within(inner.Pos()) {
			s.function(inner, nil)
		}
	}
}

func (s *proof) instruction(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.FieldAddr:
		s.touch(i.X.Type().Underlying().(*types.Pointer).Elem())
	case *ssa.Field:
		s.touch(i.X.Type())
	case *ssa.BinOp:
		if i.Op == token.EQL || i.Op == token.NEQ {
			s.contained(i.X.Type())
		}
	case *ssa.MakeInterface:
		if !isConvertible(i.Type()) {
			s.show(i.X.Type(), map[types.Type]bool{})
		}
	case *ssa.ChangeInterface:
		if isConvertible(i.X.Type()) && !isConvertible(i.Type()) && !isOther(i) && !printsTypeOnly(i) {
			for t := range s.known { // any version may be in it
				s.show(t.Type(), map[types.Type]bool{})
			}
		}
	case *ssa.ChangeType:
		s.same(i.X.Type(), i.Type())
	case *ssa.Convert:
		s.convert(i)
	case *ssa.MultiConvert, *ssa.SliceToArrayPointer:
		s.show(i.(ssa.Value).Type(), map[types.Type]bool{})
	case *ssa.MapUpdate:
		s.contained(i.Key.Type())
	case *ssa.Lookup:
		s.contained(i.Index.Type())
	case ssa.CallInstruction:
		s.call(i.Common())
	}
}

// call follows a called function into its use of type arguments, and methods.
func (s *proof) call(c *ssa.CallCommon) {
	if c.IsInvoke() {
		return
	}
	f := c.StaticCallee()
	if f == nil {
		return
	}
	if o, ok := f.Object().(*types.Func); ok && !copies(o) {
		if t := receiverName(o); t != nil {
			s.touched[t] = true // any method of the type itself
		}
	}
	if copiesValues(f) {
		return
	}
	for _, t := range f.TypeArgs() {
		s.show(t, map[types.Type]bool{})
	}
}

// copiesValues says whether a generic function only copies values of its type parameters.
func copiesValues(f *ssa.Function) bool {
	origin := f.Origin()
	if origin == nil || origin.Pkg == nil {
		return false
	}
	switch origin.Pkg.Pkg.Path() + "." + origin.Name() {
	case "slices.Clone", "maps.Clone", "k8s.io/utils/ptr.To", "k8s.io/utils/ptr.Deref":
		return true
	}
	return false
}

// touch notes that a type's fields are looked at.
func (s *proof) touch(t types.Type) {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		s.touched[named.Origin().Obj()] = true
	}
}

// contained touches a type and those of its fields and elements, as a comparison does.
func (s *proof) contained(t types.Type) {
	s.touch(t)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			s.contained(u.Field(i).Type())
		}
	case *types.Array:
		s.contained(u.Elem())
	}
}

// show touches a type and all that can be reached from its values, as reflection can.
func (s *proof) show(t types.Type, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	if named, ok := t.(*types.Named); ok {
		s.touched[named.Origin().Obj()], s.shown[named.Origin().Obj()] = true, true
		t = named.Underlying()
	}
	switch t := t.(type) {
	case *types.Pointer:
		s.show(t.Elem(), seen)
	case *types.Slice:
		s.show(t.Elem(), seen)
	case *types.Array:
		s.show(t.Elem(), seen)
	case *types.Chan:
		s.show(t.Elem(), seen)
	case *types.Map:
		s.show(t.Key(), seen)
		s.show(t.Elem(), seen)
	case *types.Struct:
		for i := range t.NumFields() {
			s.show(t.Field(i).Type(), seen)
		}
	}
}

// convert looks at conversions by way of unsafe.Pointer: the memory of one type is used as another's.
func (s *proof) convert(i *ssa.Convert) {
	unsafely := func(t types.Type) bool {
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Kind() == types.UnsafePointer
	}
	switch from, to := i.X.Type(), i.Type(); {
	case unsafely(to) && !unsafely(from):
		for _, use := range *i.Referrers() {
			if use, ok := use.(*ssa.Convert); !ok || unsafely(use.Type()) {
				s.show(from, map[types.Type]bool{})
			}
		}
	case unsafely(from) && !unsafely(to):
		if source, ok := i.X.(*ssa.Convert); ok && !unsafely(source.X.Type()) {
			s.same(source.X.Type(), to)
		} else {
			s.show(to, map[types.Type]bool{})
		}
	}
}

// same touches types that differ, at places of the same memory: an opaque type's memory is not that of the type.
func (s *proof) same(a, b types.Type) {
	a, b = types.Unalias(a), types.Unalias(b)
	if types.Identical(a, b) || s.pairs[[2]types.Type{a, b}] {
		return
	}
	s.pairs[[2]types.Type{a, b}] = true
	s.touch(a)
	s.touch(b)
	differ := func() {
		s.show(a, map[types.Type]bool{})
		s.show(b, map[types.Type]bool{})
	}
	switch u := a.Underlying().(type) {
	case *types.Pointer:
		if v, ok := b.Underlying().(*types.Pointer); ok {
			s.same(u.Elem(), v.Elem())
			return
		}
	case *types.Slice:
		if v, ok := b.Underlying().(*types.Slice); ok {
			s.same(u.Elem(), v.Elem())
			return
		}
	case *types.Array:
		if v, ok := b.Underlying().(*types.Array); ok && u.Len() == v.Len() {
			s.same(u.Elem(), v.Elem())
			return
		}
	case *types.Map:
		if v, ok := b.Underlying().(*types.Map); ok {
			s.same(u.Key(), v.Key())
			s.same(u.Elem(), v.Elem())
			return
		}
	case *types.Struct:
		if v, ok := b.Underlying().(*types.Struct); ok && u.NumFields() == v.NumFields() {
			for i := range u.NumFields() {
				s.same(u.Field(i).Type(), v.Field(i).Type())
			}
			return
		}
	case *types.Basic, *types.Interface, *types.Signature, *types.Chan:
		return
	}
	differ()
}

// isConvertible says whether an interface is one by which versions are passed to conversions: controller-runtime's Hub and
// Convertible, and knative's Convertible. Their values are asserted to be of a version again.
func isConvertible(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || !types.IsInterface(named) {
		return false
	}
	return named.Obj().Name() == "Hub" || named.Obj().Name() == "Convertible"
}

// isOther says whether an interface has been found to hold none of the types that a function expects, as in the default of a
// type switch. A module calls conversions with the versions' own types only.
func isOther(v *ssa.ChangeInterface) bool {
	for _, use := range *v.X.Referrers() {
		assert, ok := use.(*ssa.TypeAssert)
		if !ok || !assert.CommaOk || types.IsInterface(assert.AssertedType) {
			continue
		}
		for _, part := range *assert.Referrers() {
			ok, is := part.(*ssa.Extract)
			if !is || ok.Index != 1 {
				continue
			}
			for _, test := range *ok.Referrers() {
				if test, is := test.(*ssa.If); is && test.Block().Succs[1].Dominates(v.Block()) {
					return true
				}
			}
		}
	}
	return false
}

// printsTypeOnly says whether a value is given to fmt with the verb %T only.
func printsTypeOnly(v *ssa.ChangeInterface) bool {
	for _, use := range *v.Referrers() {
		store, ok := use.(*ssa.Store)
		if !ok {
			if _, debug := use.(*ssa.DebugRef); debug {
				continue
			}
			return false
		}
		at, ok := store.Addr.(*ssa.IndexAddr)
		if !ok || at.X.Referrers() == nil {
			return false
		}
		for _, use := range *at.X.Referrers() {
			list, ok := use.(*ssa.Slice)
			if !ok {
				continue
			}
			for _, use := range *list.Referrers() {
				call, ok := use.(ssa.CallInstruction)
				if !ok || len(call.Common().Args) != 2 {
					return false
				}
				f := call.Common().StaticCallee()
				text, ok := call.Common().Args[0].(*ssa.Const)
				if f == nil || f.Pkg == nil || f.Pkg.Pkg.Path() != "fmt" || !ok || text.Value == nil || text.Value.Kind() != constant.String {
					return false
				}
				format := constant.StringVal(text.Value)
				if strings.Count(format, "%") != strings.Count(format, "%T") {
					return false
				}
			}
		}
	}
	return true
}

// candidate says whether a type's declaration may be replaced: it is reached, not a version, not embedded, and not generic.
func (s *proof) candidate(x *extraction, t *types.TypeName, k kind) bool {
	u := x.units[t]
	named, ok := t.Type().(*types.Named)
	if u == nil || !x.reached[u] || !ok || named.TypeParams().Len() > 0 || named.TypeArgs().Len() > 0 {
		return false
	}
	for _, v := range k.versions() {
		if v.named.Obj() == t {
			return false
		}
	}
	for _, other := range x.named {
		if st, ok := other.Underlying().(*types.Struct); ok {
			for i := range st.NumFields() {
				f := st.Field(i)
				ft := types.Unalias(f.Type())
				if p, ok := ft.(*types.Pointer); ok {
					ft = types.Unalias(p.Elem())
				}
				if f.Embedded() && types.Identical(ft, t.Type()) {
					return false
				}
			}
		}
	}
	spec, ok := u.node.(*ast.TypeSpec)
	if !ok {
		return false
	}
	_, ok = spec.Type.(*ast.StructType) // a definition from another type has that one's fields
	return ok
}
