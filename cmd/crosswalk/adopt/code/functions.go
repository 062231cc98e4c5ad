package code

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// Functions are the functions of loaded packages in SSA form.
type Functions struct {
	SSA    *ssa.Program
	Broken map[string]error // packages that do not type-check as a whole
	built  map[*ssa.Package]bool
}

// NewFunctions prepares the packages that initial ones import. Of the standard library there are
// declarations only.
func NewFunctions(p *Program, initial []*packages.Package) *Functions {
	s := &Functions{SSA: ssa.NewProgram(p.Fset, 0), Broken: map[string]error{}, built: map[*ssa.Package]bool{}}
	packages.Visit(initial, nil, func(pkg *packages.Package) {
		if pkg.Types == nil {
			return
		}
		if p.All[pkg.PkgPath] != nil && len(pkg.Errors) == 0 {
			s.SSA.CreatePackage(pkg.Types, pkg.Syntax, pkg.TypesInfo, true)
			return
		}
		if p.All[pkg.PkgPath] != nil {
			s.Broken[pkg.PkgPath] = pkg.Errors[0]
		}
		s.SSA.CreatePackage(pkg.Types, nil, nil, true)
	})
	return s
}

// Build builds a package that has syntax.
func (s *Functions) Build(pkg *ssa.Package) {
	if pkg != nil && !s.built[pkg] {
		s.built[pkg] = true
		pkg.Build()
	}
}

// Declared returns the SSA form of a function's declaration.
func (s *Functions) Declared(u *Unit, f *ast.FuncDecl) *ssa.Function {
	pkg := s.SSA.Package(u.Package.Types)
	s.Build(pkg)
	if f.Recv == nil && f.Name.Name == "init" {
		for _, m := range pkg.Members {
			if m, ok := m.(*ssa.Function); ok && m.Syntax() == f {
				return m
			}
		}
		return nil
	}
	if o, ok := u.Defs[0].(*types.Func); ok {
		return s.SSA.FuncValue(o)
	}
	return nil
}

// Initial returns the instructions that give the variables of a unit their initial values. One
// without a position belongs to the unit of the next that has one: a variable's own comes last.
func (s *Functions) Initial(pkg *ssa.Package, u *Unit) (list []ssa.Instruction) {
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
				if u.Node.Pos() <= p && p <= u.Node.End() {
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
