package adopt

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ssa"
)

// stores finds the functions that change a variable: its value, or memory that it points to.
type stores struct {
	s     *proof
	p     *program
	inits map[*ssa.Global][]*unit // made by initialisers

	summaries map[*ssa.Parameter]*effects
	followed  map[*ssa.Global]*reachability
}

// changes are names of functions and methods that change their receiver or argument. They decide
// for functions without syntax, those of the standard library, and for methods of interfaces.
var changes = regexp.MustCompile(`^(Must)?(Set|Store|Add|Put|Insert|Register|Delete|Remove|Swap|CompareAndSwap|LoadOr|LoadAnd|Write|Push|Append|Update|Reset|Clear|Unmarshal|Decode|Scan|Sort|Copy|Override|Install)|VarP?$`)

// declared returns the SSA form of a function's declaration.
func (s *proof) declared(u *unit, f *ast.FuncDecl) *ssa.Function {
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

// mention reports whether an instruction mentions a variable to change it.
func (w *stores) mention(i ssa.Instruction, g *ssa.Global) bool {
	f := w.flow()
	f.mention(i, g)
	return f.change != token.NoPos
}
