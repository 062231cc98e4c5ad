package verbs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

func (s *splitting) message(l *lowering.Lowering, name, otherwise string) string {
	if n := s.messages[name]; n != nil {
		return syntax.Text(n, l.Mistakes, name)
	}
	return otherwise
}

func (s *splitting) splitMessage(l *lowering.Lowering) string {
	n := len(s.parts)
	text := fmt.Sprintf("{path} must have %d parts separated by %s, but {value} has {count}", n, strconv.Quote(s.separator))
	switch {
	case s.how == program.SplitWords:
		text = fmt.Sprintf("{path} must have %d words, but {value} has {count}", n)
	case s.how == program.SplitHostPort:
		text = `{path} must be "host:port" or "[IPv6 address]:port", but is {value}`
	case slices.ContainsFunc(s.parts, func(p program.Part) bool { return p.Kind == program.IntegerType }):
		var names []string
		for _, p := range s.parts {
			if p.Kind == program.IntegerType {
				names = append(names, p.Path.Last())
			}
		}
		text = fmt.Sprintf("{path} must have %d parts separated by %s, with a whole number for %s, but is {value}", n, strconv.Quote(s.separator), strings.Join(names, " and "))
	}
	return s.message(l, "split", text)
}

func (s *splitting) partMessage(l *lowering.Lowering) string {
	text := "{path} must be one word, but is {value}"
	if s.how == program.SplitHostPort {
		text = "{path} must be without brackets, but is {value}"
	}
	return s.message(l, "part", text)
}

// thirdMessage is about the port with hostPort, about the annotation with one, and otherwise about
// an absent part.
func (s *splitting) thirdMessage(l *lowering.Lowering) string {
	text := fmt.Sprintf("{value} must be there: it is a part of .%s in the other version", s.one)
	switch {
	case s.how == program.SplitHostPort:
		text = "{path} must be without colons and brackets, but is {value}"
	case s.partial == program.PartialAnnotation:
		text = fmt.Sprintf(`{path} must be like "%s=a %s=b", but is {value}`, s.parts[0].Path.Last(), s.parts[1].Path.Last())
	}
	return s.message(l, "partial", text)
}
