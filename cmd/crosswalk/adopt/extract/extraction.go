package extract

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// Extraction is the part of a program that its roots need.
type Extraction struct {
	program *operator.Program
	Units   map[types.Object]*code.Unit // of every declaration
	inits   map[*packages.Package][]*code.Unit
	Reached map[*code.Unit]bool
	effects map[string]bool // packages with initialisers that change variables of others, or by way of functions
	queue   []*code.Unit

	named      []*types.Named  // reached
	interfaces map[string]bool // methods of interfaces that are reached, sorted and joined
	sets       [][]string      // the same
	visited    map[types.Type]bool
	json       bool   // encoding/json is used by more than the methods of known types
	Kept       string // why the copies use encoding/json; "" if they need not
	Swap       bool   // the copies import the SDK's package json for encoding/json
	Hidden     *Opaque
}

// reach queues the unit that declares o, if it is not of the standard library.
func (x *Extraction) reach(o types.Object) {
	switch f := o.(type) {
	case *types.Func:
		o = f.Origin()
		if x.Hidden.drops(f.Origin()) {
			return
		}
	case *types.Var:
		o = f.Origin()
	}
	if u := x.Units[o]; u != nil {
		x.reachUnit(u)
	}
}

func (x *Extraction) reachUnit(u *code.Unit) {
	if !x.Reached[u] {
		x.Reached[u] = true
		x.queue = append(x.queue, u)
	}
}

func (x *Extraction) offset(p token.Pos) int { return x.program.Fset.Position(p).Offset }
