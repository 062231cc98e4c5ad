package adopt

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// forms are the functions of loaded packages in SSA form.
type forms struct {
	ssa    *ssa.Program
	broken map[string]error // packages that do not type-check as a whole
	built  map[*ssa.Package]bool
}

// newForms prepares the packages that initial ones import. Of the standard library there are
// declarations only.
func newForms(p *base, initial []*packages.Package) *forms {
	s := &forms{ssa: ssa.NewProgram(p.fset, 0), broken: map[string]error{}, built: map[*ssa.Package]bool{}}
	packages.Visit(initial, nil, func(pkg *packages.Package) {
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

// build builds a package that has syntax.
func (s *forms) build(pkg *ssa.Package) {
	if pkg != nil && !s.built[pkg] {
		s.built[pkg] = true
		pkg.Build()
	}
}

// declared returns the SSA form of a function's declaration.
func (s *forms) declared(u *unit, f *ast.FuncDecl) *ssa.Function {
	pkg := s.ssa.Package(u.pkg.Types)
	s.build(pkg)
	if f.Recv == nil && f.Name.Name == "init" {
		for _, m := range pkg.Members {
			if m, ok := m.(*ssa.Function); ok && m.Syntax() == f {
				return m
			}
		}
		return nil
	}
	if o, ok := u.defs[0].(*types.Func); ok {
		return s.ssa.FuncValue(o)
	}
	return nil
}

// initial returns the instructions that give the variables of a unit their initial values. One
// without a position belongs to the unit of the next that has one: a variable's own comes last.
func (s *forms) initial(pkg *ssa.Package, u *unit) (list []ssa.Instruction) {
	f := pkg.Func("init")
	if f == nil {
		return nil
	}
	var waiting []ssa.Instruction
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(*ssa.Call); ok && isInit(call.Call.StaticCallee()) {
				waiting = nil
				continue
			}
			waiting = append(waiting, i)
			if p := i.Pos(); p != token.NoPos {
				if u.node.Pos() <= p && p <= u.node.End() {
					list = append(list, waiting...)
				}
				waiting = nil
			}
		}
	}
	return list
}

// isInit reports whether a function initialises a package.
func isInit(f *ssa.Function) bool {
	return f != nil && f.Signature.Recv() == nil && (f.Name() == "init" || len(f.Name()) > 5 && f.Name()[:5] == "init#")
}
