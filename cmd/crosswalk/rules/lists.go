package rules

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

func (l *lowering) splitList(one *rule, side int) []phased {
	p, ok := l.both(one)
	if !ok {
		return nil
	}
	sep := text(l.text(one, "separator"))
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		l.claim(one, 0, p[0], shaping)
		l.claim(one, 1, p[1], shaping)
		op := opJoinList
		if l.dir == side {
			op = opSplitList
		}
		return append([]phased{{operation{code: op, path: p[l.dir], args: [10]arg{sep}}, shaping}}, l.relocate(p)...)
	})
}

func (l *lowering) listFromMap(one *rule, side int) []phased {
	p, ok := l.both(one)
	if !ok {
		return nil
	}
	args := [10]arg{text(l.text(one, "key"))}
	if one.args["value"] != nil {
		if args[1] = text(l.text(one, "value")); args[1] == args[0] {
			l.r.at(one.args["value"], "value is %s, the key: an element has the value in another member", nodeText(one.args["value"]))
		}
	}
	optional := l.bool(one, "optional", false)
	if optional && one.args["value"] == nil {
		l.r.at(one.args["optional"], "optional is about the member value, which the rule does not have")
	}
	args[2] = bit(optional)
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		l.claim(one, 0, p[0], shaping)
		l.claim(one, 1, p[1], shaping)
		inner := l.subrules()
		inner.mapped = l.mapped || l.dir == side
		elements := inner.nested(one, "each", p, everyElement)
		if l.dir == side {
			ops := []phased{{operation{code: opListFromMap, path: p[l.dir], args: args}, shaping}}
			return append(append(ops, elements...), l.relocate(p)...)
		}
		ops := append(elements, phased{operation{code: opMapFromList, path: p[l.dir], args: args}, shaping})
		return append(ops, l.relocate(p)...)
	})
}

func (l *lowering) wrap(one *rule, side int) []phased {
	p, ok := l.both(one)
	if !ok {
		return nil
	}
	args := [10]arg{word(l.valueType(one))}
	rest := one.args["rest"]
	switch {
	case rest == nil || rest.Kind == yaml.ScalarNode && rest.Value == "stash":
	case rest.Kind == yaml.MappingNode:
		name, key := l.annotationOf(rest, member{name: "key", required: true, about: "the member that has the list"})
		args[1], args[2] = text(name), text(key)
	default:
		l.r.at(rest, "rest is %s, but must be stash or {annotation: NAME, key: NAME}", nodeText(rest))
	}
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		l.claim(one, 0, p[0], shaping)
		l.claim(one, 1, p[1], shaping)
		args := args
		op := opWrap
		if l.dir != side {
			op = opUnwrap
			if args[1] == nil && !l.unstashable(one) {
				args[3] = l.stashFor(one, p[l.dir], p[1-l.dir])
			}
		}
		return append([]phased{{operation{code: op, path: p[l.dir], args: args}, shaping}}, l.relocateLast(p)...)
	})
}

func (l *lowering) nest(one *rule, side int) []phased {
	p, ok := l.both(one)
	key := l.text(one, "key")
	if !ok || key == "" {
		return nil
	}
	kind := word(l.valueType(one))
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		l.claim(one, 0, p[0], shaping)
		l.claim(one, 1, p[1], shaping)
		op := operation{code: opNest, path: p[l.dir], args: [10]arg{text(key), kind}}
		if l.dir != side {
			op.code = opUnnest
			if len(p[l.dir]) == 0 {
				op.args[2] = text(fmt.Sprintf("{path} must be there: %s has nothing else of it", l.version(1-l.dir)))
			}
			if one.args["message"] != nil {
				op.args[2] = text(l.text(one, "message"))
			}
			op.args[3] = l.remember(p[l.dir], p[1-l.dir])
		}
		return append([]phased{{op, shaping}}, l.relocate(p)...)
	})
}

func (s *scope) valueType(one *rule) valueType {
	n := one.args["type"]
	if n == nil {
		return anyType
	}
	return valueType(slices.Index([]string{"", "string", "integer", "number", "boolean", "quantity", "duration", "object"}, s.word(one, "type")))
}

func bit(b bool) word {
	if b {
		return 1
	}
	return 0
}
