package rules

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// split lowers a rule between one string, on a side, and its parts on the other.
func (l *lowering) split(one *rule, side int) []phased {
	s, ok := l.splitting(one, side)
	if !ok {
		return nil
	}
	if s.absent != "" {
		return l.splitObject(one, side, s)
	}
	// Both sides may lead through the same lists: the first part stands for all.
	p := [2]path{}
	p[side], p[1-side] = s.one, s.parts[0].path
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		cut := len(s.one) - len(p[side])
		relative := slices.Clone(s.parts)
		var others []path
		for i := range relative {
			if !relative[i].path[:min(cut, len(relative[i].path))].equal(s.one[:cut]) {
				l.r.at(one.node, "the parts and the string are in different lists")
				return nil
			}
			relative[i].path = relative[i].path[cut:]
			if len(relative[i].path) == 0 || slices.ContainsFunc(relative[i].path, isEvery) {
				l.r.at(one.node, "%s is not a field of one object", s.parts[i].path)
				return nil
			}
			others = append(others, relative[i].path)
			l.claim(one, 1-side, relative[i].path, shaping)
		}
		l.claim(one, side, p[side], shaping)
		op := operation{code: opSplit, path: p[side]}
		op.args = [10]arg{relative, text(s.separator), word(s.how), word(l.kept(p[side], others...)), text(s.splitMessage(l)), text(s.partMessage(l)), text(s.thirdMessage(l))}
		if s.annotation != "" {
			op.args[8] = text(s.annotation)
		}
		integers := slices.ContainsFunc(relative, func(p part) bool { return p.kind == integerType })
		if l.dir == side {
			if integers && !l.mapped {
				op.args[7] = l.stashFor(one, p[side], others...)
			}
			return []phased{{op, shaping}}
		}
		op.code = opJoin
		partial := s.partial
		if partial == partialStash && s.how != splitHostPort {
			if l.mapped {
				partial = partialLeave
			} else {
				for _, q := range others {
					op.args[7] = l.stashFor(one, q, p[side])
				}
			}
		}
		if partial == partialRefuse {
			where := texts{}
			for _, q := range others {
				where = append(where, "."+l.prefix[l.dir].join(q).String())
			}
			op.args[8] = where
		}
		op.args[9] = word(partial)
		keep := len(s.one)
		for _, q := range others {
			keep = min(keep, l.kept(q, p[side]))
		}
		op.args[3] = word(keep)
		return []phased{{op, shaping}}
	})
}

// How strings are split, and where parts go that cannot be joined, as sdk/rules/program.h
// numbers it.
const (
	everySeparator = iota
	firstSeparators
	lastSeparators
	splitWords
	splitHostPort
)

const (
	partialStash = iota
	partialLeave
	partialRefuse
	partialAnnotation
)

// splitting is a rule split or join.
type splitting struct {
	one        path
	parts      parts
	how        int
	separator  string
	partial    int
	annotation string
	absent     string // the text of an absent part, if the parts have an object of their own
	messages   map[string]*yaml.Node
}

// splitting reads the rule.
func (l *ledger) splitting(one *rule, side int) (s splitting, ok bool) {
	single, several := one.args["split"], one.args["to"]
	if side == 1 {
		single, several = one.args["to"], one.args["join"]
	}
	s.one = l.path(single)
	s.parts = l.parts(several)
	s.absent = l.text(one, "absent")
	if s.one == nil || s.parts == nil || s.absent == "" && !s.distinct(several, l.r) {
		return s, false
	}
	ways := 0
	if one.args["separator"] != nil {
		ways, s.separator = ways+1, l.text(one, "separator")
	}
	switch at := l.word(one, "at"); {
	case at == "first":
		s.how = firstSeparators
	case at == "last":
		s.how = lastSeparators
	}
	if s.how != everySeparator && s.separator == "" {
		l.r.at(one.args["at"], "at is about a separator, which the rule does not have")
	}
	if l.bool(one, "words", false) {
		ways, s.how = ways+1, splitWords
	}
	if l.bool(one, "hostPort", false) {
		if ways, s.how = ways+1, splitHostPort; len(s.parts) != 2 {
			l.r.at(several, "hostPort has two parts, the host and the port, not %d", len(s.parts))
		}
	}
	if ways != 1 {
		l.r.at(one.node, "the rule needs one of separator, words and hostPort")
		return s, false
	}
	l.partial(one, &s)
	if n := one.args["messages"]; n != nil {
		s.messages = mapping(n, l.r, "messages", messageMembers)
	}
	return s, true
}

// distinct reports whether the string and its parts can be in one object.
func (s splitting) distinct(n *yaml.Node, r *report) bool {
	for i, one := range s.parts {
		if !one.path.equal(s.one) && (one.path.within(s.one) || s.one.within(one.path)) {
			r.at(n.Content[i], "%s cannot be a part of %s: one is within the other; see absent", one.path, s.one)
			return false
		}
		for _, other := range s.parts[:i] {
			if one.path.within(other.path) || other.path.within(one.path) {
				r.at(n.Content[i], "%s cannot be a part beside %s: they are one field", one.path, other.path)
				return false
			}
		}
	}
	return true
}

func (l *ledger) partial(one *rule, s *splitting) {
	n := one.args["partial"]
	switch {
	case n == nil:
	case s.how == splitHostPort:
		l.r.at(n, "partial is not necessary with hostPort: a host alone is joined to host: and a port alone to :port")
	case n.Kind == yaml.MappingNode:
		s.annotation, _ = l.annotationOf(n)
		s.partial = partialAnnotation
	default:
		words := []string{"stash", "leave", "refuse"}
		if s.partial = slices.Index(words, n.Value); s.partial < 0 {
			l.r.at(n, "partial is %s, but must be %s, or {annotation: NAME}", nodeText(n), list(words))
			s.partial = partialStash
		}
	}
}

// parts reads paths, or {path, type}; nil if one is wrong.
func (s *scope) parts(n *yaml.Node) (ps parts) {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		s.r.at(n, "the parts are %s, not a list of paths", plainyaml.KindOf(n))
		return nil
	}
	for _, item := range items(n, s.r, "the parts") {
		one := part{kind: stringType}
		at := item
		if item.Kind == yaml.MappingNode {
			args := mapping(item, s.r, "a part", partMembers)
			at = args["path"]
			switch t := args["type"]; {
			case t == nil || t.Value == "string":
			case t.Value == "integer":
				one.kind = integerType
			default:
				s.r.at(t, "type is %s, but must be string or integer", nodeText(t))
			}
		}
		if one.path = s.path(at); one.path == nil {
			return nil
		}
		ps = append(ps, one)
	}
	if len(ps) < 2 || len(ps) > maxParts {
		s.r.at(n, "a string is split into 2 to %d parts, not %d", maxParts, len(ps))
		return nil
	}
	return ps
}
