package verbs

import (
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

func move(l *lowering.Lowering, one *syntax.Rule, _ int) []lowering.Phased {
	p, ok := l.Both(one)
	if !ok {
		return nil
	}
	if one.Verb.Name == "rename" && !p[0].Parent().Equal(p[1].Parent()) {
		l.Mistakes.At(one.Args["to"], "%s is in another object than %s: that is a move", p[1], p[0])
		return nil
	}
	if p[0].Equal(p[1]) {
		l.Mistakes.At(one.Node, "%s stays where it is: fields with the same path need no rule", p[0])
		return nil
	}
	return both(l, one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		inner := l.Subrules()
		ops := append(inner.Nested(one, "each", p, fieldpath.Elements), inner.Nested(one, "rules", p, "")...)
		return append(ops, relocate(l, p)...)
	})
}

func each(l *lowering.Lowering, one *syntax.Rule, _ int) []lowering.Phased {
	p, ok := l.Both(one)
	if !ok {
		return nil
	}
	every := fieldpath.Elements
	if l.Bool(one, "map", false) {
		every = fieldpath.Members
	}
	return l.Elements(one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		if !p[0].Equal(p[1]) {
			for side := range p {
				l.Claim(one, side, p[side], lowering.Shaping)
			}
		}
		return append(l.Subrules().Nested(one, "rules", p, every), relocate(l, p)...)
	})
}

// both lowers a rule about a field of each version, which it claims.
func both(l *lowering.Lowering, one *syntax.Rule, p [2]fieldpath.Path, lower func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased) []lowering.Phased {
	return l.Elements(one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		for side := range p {
			l.Claim(one, side, p[side], lowering.Shaping)
		}
		return lower(l, p)
	})
}

// relocate returns the operation that brings a value to its place on the other side.
func relocate(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
	from, to := p[l.Dir], p[1-l.Dir]
	switch {
	case from.Equal(to):
		return nil
	case len(from) == len(to) && from.Parent().Equal(to.Parent()):
		return lowering.Shaping.Of(program.Operation{Code: program.OpRename, Path: from, Args: [10]program.Arg{program.Text(to.Last())}})
	}
	return relocateLast(l, p)
}

// relocateLast does the same; the value becomes the last member even of the same object.
func relocateLast(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
	from, to := p[l.Dir], p[1-l.Dir]
	if from.Equal(to) {
		return nil
	}
	return lowering.Shaping.Of(program.Operation{Code: program.OpMove, Path: from, Args: [10]program.Arg{program.Steps(to), program.Word(l.Kept(from, to))}})
}
