package verbs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// split lowers a rule between one string, on a side, and its parts on the other.
func split(l *lowering.Lowering, one *syntax.Rule, side int) []lowering.Phased {
	s, ok := readSplitting(l, one, side)
	if !ok {
		return nil
	}
	if s.absent != "" {
		return splitObject(l, one, side, s)
	}
	// Both sides may lead through the same lists: the first part stands for all.
	p := [2]fieldpath.Path{}
	p[side], p[1-side] = s.one, s.parts[0].Path
	return l.Elements(one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		cut := len(s.one) - len(p[side])
		relative := slices.Clone(s.parts)
		var others []fieldpath.Path
		for i := range relative {
			if !relative[i].Path[:min(cut, len(relative[i].Path))].Equal(s.one[:cut]) {
				l.Mistakes.At(one.Node, "the parts and the string are in different lists")
				return nil
			}
			relative[i].Path = relative[i].Path[cut:]
			if len(relative[i].Path) == 0 || slices.ContainsFunc(relative[i].Path, fieldpath.IsEvery) {
				l.Mistakes.At(one.Node, "%s is not a field of one object", s.parts[i].Path)
				return nil
			}
			others = append(others, relative[i].Path)
			l.Claim(one, 1-side, relative[i].Path, lowering.Shaping)
		}
		l.Claim(one, side, p[side], lowering.Shaping)
		op := program.Operation{Code: program.OpSplit, Path: p[side]}
		op.Args = [10]program.Arg{relative, program.Text(s.separator), program.Word(s.how), program.Word(l.Kept(p[side], others...)), program.Text(s.splitMessage(l)), program.Text(s.partMessage(l)), program.Text(s.thirdMessage(l))}
		if s.annotation != "" {
			op.Args[8] = program.Text(s.annotation)
		}
		integers := slices.ContainsFunc(relative, func(p program.Part) bool { return p.Kind == program.IntegerType })
		if l.Dir == side {
			if integers && !l.Mapped {
				op.Args[7] = l.StashFor(one, p[side], others...)
			}
			return attempted(l, one, lowering.Shaping.Of(op), p[side:side+1], others...)
		}
		op.Code = program.OpJoin
		partial := s.partial
		if partial == program.PartialStash && s.how != program.SplitHostPort {
			if l.Mapped {
				partial = program.PartialLeave
			} else {
				for _, q := range others {
					op.Args[7] = l.StashFor(one, q, p[side])
				}
			}
		}
		if partial == program.PartialRefuse {
			where := program.Texts{}
			for _, q := range others {
				where = append(where, "."+l.Prefix[l.Dir].Join(q...).String())
			}
			op.Args[8] = where
		}
		op.Args[9] = program.Word(partial)
		keep := len(s.one)
		for _, q := range others {
			keep = min(keep, l.Kept(q, p[side]))
		}
		op.Args[3] = program.Word(keep)
		return attempted(l, one, lowering.Shaping.Of(op), others, p[side])
	})
}

// readSplitting is a rule split or join.
type splitting struct {
	one        fieldpath.Path
	parts      program.Parts
	how        int
	separator  string
	partial    int
	annotation string
	absent     string // the text of an absent part, if the parts have an object of their own
	messages   map[string]*yaml.Node
}

// readSplitting reads the rule.
func readSplitting(l *lowering.Lowering, one *syntax.Rule, side int) (s splitting, ok bool) {
	single, several := one.Args["split"], one.Args["to"]
	if side == 1 {
		single, several = one.Args["to"], one.Args["join"]
	}
	s.one = l.Path(single)
	s.parts = readParts(l, several)
	s.absent = l.Text(one, "absent")
	if s.one == nil || s.parts == nil || s.absent == "" && !s.distinct(several, l.Mistakes) {
		return s, false
	}
	ways := 0
	if one.Args["separator"] != nil {
		ways, s.separator = ways+1, l.Text(one, "separator")
	}
	switch at := l.Word(one, "at"); {
	case at == "first":
		s.how = program.FirstSeparators
	case at == "last":
		s.how = program.LastSeparators
	}
	if s.how != program.EverySeparator && s.separator == "" {
		l.Mistakes.At(one.Args["at"], "at is about a separator, which the rule does not have")
	}
	if l.Bool(one, "words", false) {
		ways, s.how = ways+1, program.SplitWords
	}
	if l.Bool(one, "hostPort", false) {
		if ways, s.how = ways+1, program.SplitHostPort; len(s.parts) != 2 {
			l.Mistakes.At(several, "hostPort has two parts, the host and the port, not %d", len(s.parts))
		}
	}
	if ways != 1 {
		l.Mistakes.At(one.Node, "the rule needs one of separator, words and hostPort")
		return s, false
	}
	readPartial(l, one, &s)
	if n := one.Args["messages"]; n != nil {
		s.messages = syntax.Mapping(n, l.Mistakes, "messages", vocabulary.MessageMembers)
	}
	return s, true
}

// distinct reports whether the string and its parts can be in one object.
func (s splitting) distinct(n *yaml.Node, r *syntax.Mistakes) bool {
	for i, one := range s.parts {
		if !one.Path.Equal(s.one) && (one.Path.Within(s.one) || s.one.Within(one.Path)) {
			r.At(n.Content[i], "%s cannot be a part of %s: one is within the other; see absent", one.Path, s.one)
			return false
		}
		for _, other := range s.parts[:i] {
			if one.Path.Within(other.Path) || other.Path.Within(one.Path) {
				r.At(n.Content[i], "%s cannot be a part beside %s: they are one field", one.Path, other.Path)
				return false
			}
		}
	}
	return true
}

func readPartial(l *lowering.Lowering, one *syntax.Rule, s *splitting) {
	n := one.Args["partial"]
	switch {
	case n == nil:
	case s.how == program.SplitHostPort:
		l.Mistakes.At(n, "partial is not necessary with hostPort: a host alone is joined to host: and a port alone to :port")
	case n.Kind == yaml.MappingNode:
		s.annotation, _ = l.AnnotationOf(s.one, n)
		s.partial = program.PartialAnnotation
	default:
		words := []string{"stash", "leave", "refuse"}
		if s.partial = slices.Index(words, n.Value); s.partial < 0 {
			l.Mistakes.At(n, "partial is %s, but must be %s, or {annotation: NAME}", syntax.NodeText(n), syntax.Alternatives(words))
			s.partial = program.PartialStash
		}
	}
}

// readParts reads paths, or {path, type}; nil if one is wrong.
func readParts(l *lowering.Lowering, n *yaml.Node) (ps program.Parts) {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		l.Mistakes.At(n, "the parts are %s, not a list of paths", plainyaml.KindOf(n))
		return nil
	}
	for _, item := range syntax.Items(n, l.Mistakes, "the parts") {
		one := program.Part{Kind: program.StringType}
		at := item
		if item.Kind == yaml.MappingNode {
			args := syntax.Mapping(item, l.Mistakes, "a part", vocabulary.PartMembers)
			at = args["path"]
			switch t := args["type"]; {
			case t == nil || t.Value == "string":
			case t.Value == "integer":
				one.Kind = program.IntegerType
			default:
				l.Mistakes.At(t, "type is %s, but must be string or integer", syntax.NodeText(t))
			}
		}
		if one.Path = l.Path(at); one.Path == nil {
			return nil
		}
		ps = append(ps, one)
	}
	if len(ps) < 2 || len(ps) > program.MaxParts {
		l.Mistakes.At(n, "a string is split into 2 to %d parts, not %d", program.MaxParts, len(ps))
		return nil
	}
	return ps
}

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
