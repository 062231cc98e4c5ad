package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

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
	messages   map[string]*yaml.Node
}

// split lowers a rule between one string, on a side, and its parts on the other.
func (l *lowering) split(one *rule, side int) []phased {
	s, ok := l.splitting(one, side)
	if !ok {
		return nil
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

// splitting reads the rule.
func (l *lowering) splitting(one *rule, side int) (s splitting, ok bool) {
	single, several := one.args["split"], one.args["to"]
	if side == 1 {
		single, several = one.args["to"], one.args["join"]
	}
	s.one = l.path(single)
	s.parts = l.parts(several)
	if s.one == nil || s.parts == nil || !l.distinct(several, s) {
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
func (l *lowering) distinct(n *yaml.Node, s splitting) bool {
	for i, one := range s.parts {
		if !one.path.equal(s.one) && (one.path.within(s.one) || s.one.within(one.path)) {
			l.r.at(n.Content[i], "%s cannot be a part of %s: one is within the other", one.path, s.one)
			return false
		}
		for _, other := range s.parts[:i] {
			if one.path.within(other.path) || other.path.within(one.path) {
				l.r.at(n.Content[i], "%s cannot be a part beside %s: they are one field", one.path, other.path)
				return false
			}
		}
	}
	return true
}

func (l *lowering) partial(one *rule, s *splitting) {
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
func (l *lowering) parts(n *yaml.Node) (ps parts) {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		l.r.at(n, "the parts are %s, not a list of paths", plainyaml.KindOf(n))
		return nil
	}
	for _, item := range items(n, l.r, "the parts") {
		one := part{kind: stringType}
		at := item
		if item.Kind == yaml.MappingNode {
			args := mapping(item, l.r, "a part", partMembers)
			at = args["path"]
			switch t := args["type"]; {
			case t == nil || t.Value == "string":
			case t.Value == "integer":
				one.kind = integerType
			default:
				l.r.at(t, "type is %s, but must be string or integer", nodeText(t))
			}
		}
		if one.path = l.path(at); one.path == nil {
			return nil
		}
		ps = append(ps, one)
	}
	if len(ps) < 2 || len(ps) > maxParts {
		l.r.at(n, "a string is split into 2 to %d parts, not %d", maxParts, len(ps))
		return nil
	}
	return ps
}

func (s *splitting) message(l *lowering, name, otherwise string) string {
	if n := s.messages[name]; n != nil {
		return textOf(n, l.r, name)
	}
	return otherwise
}

func (s *splitting) splitMessage(l *lowering) string {
	n := len(s.parts)
	text := fmt.Sprintf("{path} must have %d parts separated by %s, but {value} has {count}", n, strconv.Quote(s.separator))
	switch {
	case s.how == splitWords:
		text = fmt.Sprintf("{path} must have %d words, but {value} has {count}", n)
	case s.how == splitHostPort:
		text = `{path} must be "host:port" or "[IPv6 address]:port", but is {value}`
	case slices.ContainsFunc(s.parts, func(p part) bool { return p.kind == integerType }):
		var names []string
		for _, p := range s.parts {
			if p.kind == integerType {
				names = append(names, p.path.last())
			}
		}
		text = fmt.Sprintf("{path} must have %d parts separated by %s, with a whole number for %s, but is {value}", n, strconv.Quote(s.separator), strings.Join(names, " and "))
	}
	return s.message(l, "split", text)
}

func (s *splitting) partMessage(l *lowering) string {
	text := "{path} must be one word, but is {value}"
	if s.how == splitHostPort {
		text = "{path} must be without brackets, but is {value}"
	}
	return s.message(l, "part", text)
}

// thirdMessage is about the port with hostPort, about the annotation with one, and otherwise about
// an absent part.
func (s *splitting) thirdMessage(l *lowering) string {
	text := fmt.Sprintf("{value} must be there: it is a part of .%s in the other version", s.one)
	switch {
	case s.how == splitHostPort:
		text = "{path} must be without colons and brackets, but is {value}"
	case s.partial == partialAnnotation:
		text = fmt.Sprintf(`{path} must be like "%s=a %s=b", but is {value}`, s.parts[0].path.last(), s.parts[1].path.last())
	}
	return s.message(l, "partial", text)
}
