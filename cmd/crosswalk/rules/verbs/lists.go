package verbs

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
)

func splitList(l *lowering.Lowering, one *syntax.Rule, side int) []lowering.Phased {
	p, ok := l.Both(one)
	if !ok {
		return nil
	}
	sep := program.Text(l.Text(one, "separator"))
	return both(l, one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		op := program.OpJoinList
		if l.Dir == side {
			op = program.OpSplitList
		}
		ops := lowering.Shaping.Of(program.Operation{Code: op, Path: p[l.Dir], Args: [10]program.Arg{sep}})
		return append(attempted(l, one, ops, p[l.Dir:l.Dir+1], p[1-l.Dir]), relocate(l, p)...)
	})
}

func listFromMap(l *lowering.Lowering, one *syntax.Rule, side int) []lowering.Phased {
	p, ok := l.Both(one)
	if !ok {
		return nil
	}
	args := [10]program.Arg{program.Text(l.Text(one, "key"))}
	if one.Args["value"] != nil {
		if args[1] = program.Text(l.Text(one, "value")); args[1] == args[0] {
			l.Mistakes.At(one.Args["value"], "value is %s, the key: an element has the value in another member", syntax.NodeText(one.Args["value"]))
		}
	}
	optional := l.Bool(one, "optional", false)
	if optional && one.Args["value"] == nil {
		l.Mistakes.At(one.Args["optional"], "optional is about the member value, which the rule does not have")
	}
	args[2] = program.Bit(optional)
	return both(l, one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		inner := l.Subrules()
		inner.Mapped = l.Mapped || l.Dir == side
		elements := inner.Nested(one, "each", p, fieldpath.Elements)
		if l.Dir == side {
			ops := lowering.Shaping.Of(program.Operation{Code: program.OpListFromMap, Path: p[l.Dir], Args: args})
			return append(attempted(l, one, append(ops, elements...), p[l.Dir:l.Dir+1], p[1-l.Dir]), relocate(l, p)...)
		}
		var ops []lowering.Phased
		if pointers := l.Remember(p[l.Dir], p[1-l.Dir]); pointers != nil { // before the rules for the elements change them
			ops = lowering.Shaping.Of(program.Operation{Code: program.OpNoteOrder, Path: p[l.Dir], Args: [10]program.Arg{args[0], pointers}})
		}
		ops = append(append(ops, elements...), lowering.Shaping.Of(program.Operation{Code: program.OpMapFromList, Path: p[l.Dir], Args: args})...)
		return append(attempted(l, one, ops, p[l.Dir:l.Dir+1], p[1-l.Dir]), relocate(l, p)...)
	})
}

func wrap(l *lowering.Lowering, one *syntax.Rule, side int) []lowering.Phased {
	p, ok := l.Both(one)
	if !ok {
		return nil
	}
	args := [10]program.Arg{program.Word(typeIn(l, one))}
	rest := one.Args["rest"]
	switch {
	case rest == nil || rest.Kind == yaml.ScalarNode && rest.Value == "stash":
	case rest.Kind == yaml.MappingNode:
		name, key := l.AnnotationOf(p[0], rest, vocabulary.Member{Name: "key", Required: true, About: "the member that has the list"})
		args[1], args[2] = program.Text(name), program.Text(key)
	default:
		l.Mistakes.At(rest, "rest is %s, but must be stash or {annotation: NAME, key: NAME}", syntax.NodeText(rest))
	}
	return both(l, one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		args := args
		op := program.OpWrap
		if l.Dir != side {
			op = program.OpUnwrap
			if args[1] == nil && !l.Unstashable(one) {
				args[3] = l.StashFor(one, p[l.Dir], p[1-l.Dir])
			}
		}
		return append(lowering.Shaping.Of(program.Operation{Code: op, Path: p[l.Dir], Args: args}), relocateLast(l, p)...)
	})
}

func nest(l *lowering.Lowering, one *syntax.Rule, side int) []lowering.Phased {
	p, ok := l.Both(one)
	key := l.Text(one, "key")
	if !ok || key == "" {
		return nil
	}
	kind := program.Word(typeIn(l, one))
	return both(l, one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		op := program.Operation{Code: program.OpNest, Path: p[l.Dir], Args: [10]program.Arg{program.Text(key), kind}}
		if l.Dir != side {
			op.Code = program.OpUnnest
			if len(p[l.Dir]) == 0 {
				op.Args[2] = program.Text(fmt.Sprintf("{path} must be there: %s has nothing else of it", l.Version(1-l.Dir)))
			}
			if one.Args["message"] != nil {
				op.Args[2] = program.Text(l.Text(one, "message"))
			}
			op.Args[3] = l.Remember(p[l.Dir], p[1-l.Dir])
		}
		return append(lowering.Shaping.Of(op), relocate(l, p)...)
	})
}

func typeIn(l *lowering.Lowering, one *syntax.Rule) program.Type {
	n := one.Args["type"]
	if n == nil {
		return program.AnyType
	}
	return program.Type(slices.Index([]string{"", "string", "integer", "number", "boolean", "quantity", "duration", "object"}, l.Word(one, "type")))
}
