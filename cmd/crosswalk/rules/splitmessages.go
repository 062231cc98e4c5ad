package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
