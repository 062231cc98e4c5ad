package adopt

import (
	"go/token"
	"regexp"

	"golang.org/x/tools/go/ssa"
)

// stores finds the functions that change a variable: its value, or memory that it points to.
type stores struct {
	s     *forms
	p     *base
	inits map[*ssa.Global][]*unit // made by initialisers

	summaries map[*ssa.Parameter]*effects
	followed  map[*ssa.Global]*reachability
}

func newStores(p *base, s *forms) *stores {
	return &stores{s: s, p: p, inits: map[*ssa.Global][]*unit{}, summaries: map[*ssa.Parameter]*effects{}, followed: map[*ssa.Global]*reachability{}}
}

// changes are names of functions and methods that change their receiver or argument. They decide
// for functions without syntax, those of the standard library, and for methods of interfaces.
var changes = regexp.MustCompile(`^(Must)?(Set|Store|Add|Put|Insert|Register|Delete|Remove|Swap|CompareAndSwap|LoadOr|LoadAnd|Write|Push|Append|Update|Reset|Clear|Unmarshal|Decode|Scan|Sort|Copy|Override|Install)|VarP?$`)

// mention reports whether an instruction mentions a variable to change it.
func (w *stores) mention(i ssa.Instruction, g *ssa.Global) bool {
	f := w.flow()
	f.mention(i, g)
	return f.change != token.NoPos
}
