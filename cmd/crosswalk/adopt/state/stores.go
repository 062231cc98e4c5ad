package state

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// Memory finds the functions that change a variable: its value, or memory that it points to.
type Memory struct {
	s     *code.Functions
	p     *code.Program
	inits map[*ssa.Global][]*code.Unit // made by initialisers

	summaries map[*ssa.Parameter]*effects
	heldBy    map[*ssa.Parameter]*effects
	followed  map[*ssa.Global]*reachability
}

// NewMemory returns the memory of a program's variables.
func NewMemory(p *code.Program, s *code.Functions) *Memory {
	return &Memory{s: s, p: p, inits: map[*ssa.Global][]*code.Unit{}, summaries: map[*ssa.Parameter]*effects{}, heldBy: map[*ssa.Parameter]*effects{}, followed: map[*ssa.Global]*reachability{}}
}

// mention reports whether an instruction mentions a variable to change it.
func (w *Memory) mention(i ssa.Instruction, g *ssa.Global) bool {
	f := w.flow()
	f.mention(i, g)
	return f.change != token.NoPos
}
