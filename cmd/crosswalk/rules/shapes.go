package rules

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// nested lowers the rules for the elements of the value at p, or, if it is an object, for its members.
func (l *lowering) nested(one *rule, name string, p [2]path, every string) []phased {
	n := one.args[name]
	if n == nil {
		return nil
	}
	rules := readRules(n, l.r, name)
	inner, code := l.enter(p), opWithin
	if every != "" {
		inner, code = l.enter([2]path{p[0].join(path{every}), p[1].join(path{every})}), opEach
	}
	b := inner.block(rules)
	if len(b) == 0 {
		return nil
	}
	return []phased{{operation{code: code, path: p[l.dir], args: [10]arg{b, bit(every == everyMember)}}, shaping}}
}

func (l *lowering) move(one *rule) []phased {
	p, ok := l.both(one)
	if !ok {
		return nil
	}
	if one.verb.name == "rename" && !p[0].parent().equal(p[1].parent()) {
		l.r.at(one.args["to"], "%s is in another object than %s: that is a move", p[1], p[0])
		return nil
	}
	if p[0].equal(p[1]) {
		l.r.at(one.node, "%s stays where it is: fields with the same path need no rule", p[0])
		return nil
	}
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		for side := range p {
			l.claim(one, side, p[side], shaping)
		}
		inner := l.subrules(one)
		ops := append(inner.nested(one, "each", p, everyElement), inner.nested(one, "rules", p, "")...)
		return append(ops, l.relocate(p)...)
	})
}

// subrules returns the lowering of rules within a rule: they overlap with the rule, as they should.
func (l *lowering) subrules(*rule) *lowering {
	inner := *l
	inner.claims = &[]claim{}
	return &inner
}

func (l *lowering) each(one *rule) []phased {
	p, ok := l.both(one)
	if !ok {
		return nil
	}
	every := everyElement
	if l.bool(one, "map", false) {
		every = everyMember
	}
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		if !p[0].equal(p[1]) {
			for side := range p {
				l.claim(one, side, p[side], shaping)
			}
		}
		return append(l.subrules(one).nested(one, "rules", p, every), l.relocate(p)...)
	})
}

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
		inner := l.subrules(one)
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

func (l *lowering) translate(one *rule) []phased {
	p, ok := l.both(one)
	table := l.pairs(one)
	if !ok || len(table) == 0 {
		return nil
	}
	args := [10]arg{table, bit(l.dir == 1)}
	refusing := l.word(one, "others") == "refuse"
	if refusing {
		var words []string
		for _, pair := range table {
			if v := pair[l.dir]; v.kind != absent {
				words = append(words, v.text)
			}
		}
		args[2] = text("{path} must be " + list(words) + ", but is {value}")
	}
	if one.args["message"] != nil {
		if args[2] = text(l.text(one, "message")); !refusing {
			l.r.at(one.args["message"], "no value is refused: set others: refuse")
		}
	}
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		l.claim(one, 0, p[0], shaping)
		l.claim(one, 1, p[1], shaping)
		args := args
		if !refusing { // a value that stays may be the partner of another one
			args[3] = l.remember(p[l.dir], p[1-l.dir])
		}
		return append([]phased{{operation{code: opTranslate, path: p[l.dir], args: args}, shaping}}, l.relocate(p)...)
	})
}

// maxPairs bounds a table, which the interpreter reads from its start for each value.
const maxPairs = 1024

// pairs reads the table of a translation.
func (l *lowering) pairs(one *rule) (table pairs) {
	if one.args["values"] == nil {
		return nil
	}
	values := items(one.args["values"], l.r, "values")
	if len(values) > maxPairs {
		l.r.at(one.args["values"], "values has %d pairs of at most %d", len(values), maxPairs)
		return nil
	}
	for _, item := range values {
		if item.Kind != yaml.SequenceNode || len(item.Content) != 2 {
			l.r.at(item, "values has pairs such as [keep, Retain]")
			return nil
		}
		var pair [2]value
		for side, n := range item.Content {
			if isAbsent(n) {
				l.needs.uid = true
				continue
			}
			pair[side] = l.value(n)
		}
		for _, other := range table {
			for side := range pair {
				if other[side] == pair[side] && other[1-side] != pair[1-side] {
					l.r.at(item.Content[side], "the pair cannot be inverted: %s in %s is the partner of two values in %s", nodeText(item.Content[side]), l.version(side), l.version(1-side))
				}
			}
		}
		table = append(table, pair)
	}
	if len(table) == 0 && one.args["values"].Kind == yaml.SequenceNode {
		l.r.at(one.args["values"], "values is empty")
	}
	return table
}

// isAbsent reports whether a value of a table is a field that is not there.
func isAbsent(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "absent"
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

// unstashable reports a rule that would stash a part of a map that has become a list.
func (l *lowering) unstashable(one *rule) bool {
	if l.mapped {
		l.r.at(one.node, "the rule cannot be inverted: the stash cannot hold fields of the elements of a map, because they have other places in the list; drop the map as a whole, or write this converter with an SDK")
	}
	return l.mapped
}

func (l *lowering) valueType(one *rule) valueType {
	n := one.args["type"]
	if n == nil {
		return anyType
	}
	return valueType(slices.Index([]string{"", "string", "integer", "number", "boolean", "quantity", "duration", "object"}, l.word(one, "type")))
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

// give lowers defaults and constants.
func (l *lowering) give(one *rule) []phased {
	p, side := l.path(one.args[one.verb.name]), l.side(one)
	raw := l.json(one, "value")
	if string(raw) == "null" {
		l.r.at(one.args["value"], "value is null, which is the same as an absent field")
	}
	if p == nil || side < 0 || raw == nil {
		return nil
	}
	if len(p) == 0 || isEvery(p.last()) {
		l.r.at(one.node, "%s is not a field: a path to one ends with a name", p)
		return nil
	}
	l.needs.uid = true
	return l.elements(one, [2]path{p, p}, func(l *lowering, p [2]path) []phased {
		l.claim(one, side, p[side], giving)
		switch {
		case side != l.dir && one.verb.name == "default":
			return []phased{{operation{code: opDefault, path: p[side], args: [10]arg{raw}}, giving}}
		case side != l.dir:
			return []phased{{operation{code: opConstant, path: p[side], args: [10]arg{raw}}, giving}}
		case one.verb.name == "constant" && !l.unstashable(one):
			op, ph := operation{code: opNoConstant, path: p[side], args: [10]arg{raw, l.stashFor(one, p[side], l.around()...)}}, stashing
			object := p[side].parent()
			if is, whole := l.standing(side, object), l.prefix[side].join(object); is != outside && !l.touched(whole) {
				op.args[2], ph = l.constants(side, whole), thinning // or it would not come back with the object
				if is == alone {
					ph = clearing
				}
			}
			return []phased{{op, ph}}
		}
		return nil
	})
}

// around returns the path to the list around the value; nil if there is none.
func (l *lowering) around() []path {
	if l.inList() {
		return []path{{}}
	}
	return nil
}

func (l *lowering) drop(one *rule) []phased {
	p, side := l.path(one.args["drop"]), l.side(one)
	stash := l.bool(one, "stash", true)
	if p == nil || side < 0 {
		return nil
	}
	if len(p) == 0 || isEvery(p.last()) {
		l.r.at(one.node, "%s is not a field: a path to one ends with a name", p)
		return nil
	}
	if !stash && one.args["for"] != nil {
		l.r.at(one.args["for"], "for is about the stash, which the rule does not use")
	}
	var on *dependences
	if side == l.dir {
		on = l.dependence(one, side)
	}
	return l.elements(one, [2]path{p, p}, func(l *lowering, p [2]path) []phased {
		l.claim(one, side, p[side], stashing)
		if side != l.dir {
			return nil
		}
		op := operation{code: opRemove, path: p[side]}
		if stash && !l.unstashable(one) {
			op.code = opStash
			list := l.stashFor(one, p[side], l.around()...)
			switch {
			case on != nil && on.object:
				op.args[0] = nil
			case on != nil:
				op.args[0] = on.pointers
			default:
				op.args[0] = list
			}
		}
		return []phased{{op, stashing}}
	})
}

// dependences are the fields that a dropped field depends on.
type dependences struct {
	object   bool
	pointers texts
}

// dependence reads the member "for"; nil if it is absent.
func (l *lowering) dependence(one *rule, side int) *dependences {
	n := one.args["for"]
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.ScalarNode && n.Value == "object":
		l.needs.whole = true
		return &dependences{object: true}
	case n.Kind != yaml.SequenceNode:
		l.r.at(n, "for is %s, but must be object or a list of paths", nodeText(n))
		return nil
	}
	d := &dependences{pointers: texts{}}
	for _, item := range items(n, l.r, "for") {
		p, err := parsePath(textOf(item, l.r, "a path"))
		if err != nil {
			l.r.at(item, "%v", err)
			continue
		}
		if slices.ContainsFunc(p, isEvery) || len(p) == 0 {
			l.r.at(item, "%s leads to several values: name the list", p)
			continue
		}
		if pointer := p.pointer(); len(l.later) > 0 && !slices.Contains(d.pointers, pointer) {
			d.pointers = append(d.pointers, pointer) // of a later version, perhaps
		}
		d.pointers = l.depend(d.pointers, p)
	}
	return d
}
