package state

import (
	"go/types"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// carries reports whether a value of a type leads to memory that its holder can change.
func carries(t types.Type) bool { return carriesIn(t, map[types.Type]bool{}) }

func carriesIn(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok {
		if n.Obj().Pkg() == nil || loggers.MatchString(n.Obj().Pkg().Path()) { // error, or a logger
			return false
		}
		switch n.Obj().Pkg().Path() + "." + n.Obj().Name() {
		case "time.Time", "time.Location", "regexp.Regexp", "reflect.Type":
			return false
		}
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		if n, ok := types.Unalias(p.Elem()).(*types.Named); ok && n.Obj().Pkg() != nil {
			return n.Obj().Pkg().Path() != "regexp" && n.String() != "time.Location"
		}
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Map, *types.Slice, *types.Chan, *types.Interface:
		return true
	case *types.Tuple:
		for v := range t.Variables() {
			if carriesIn(v.Type(), seen) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(code.Elements(t), func(inner types.Type) bool { return carriesIn(inner, seen) })
}
