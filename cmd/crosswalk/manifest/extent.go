package manifest

import (
	"bytes"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// errExtent is the error for a node whose text the functions of this file cannot delimit.
var errExtent = errors.New("its YAML is written in a way that cannot be edited in place")

// source is the text of one document with its lines. The parser of YAML says where a node begins,
// and not where it ends; source finds the end.
type source struct {
	text  []byte
	lines []int // the offset of each line
}

func newSource(text []byte) *source {
	s := &source{text: text, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// offset returns the offset of a place that the parser names. Columns count characters.
func (s *source) offset(line, column int) int {
	if line < 1 || line > len(s.lines) {
		return len(s.text)
	}
	at := s.lines[line-1]
	for ; column > 1 && at < len(s.text); column-- {
		_, size := utf8.DecodeRune(s.text[at:])
		at += size
	}
	return at
}

// start returns where the content of a node begins: after its anchor and its tag.
func (s *source) start(n *yaml.Node) int {
	at := s.offset(n.Line, n.Column)
	for at < len(s.text) && (s.text[at] == '&' || s.text[at] == '!') {
		at += len(s.word(at))
		at += len(s.text[at:]) - len(bytes.TrimLeft(s.text[at:], " "))
	}
	return at
}

// word returns the text up to the next white space.
func (s *source) word(at int) []byte {
	if end := bytes.IndexAny(s.text[at:], " \t\n"); end >= 0 {
		return s.text[at : at+end]
	}
	return s.text[at:]
}

// lineOf returns the index of the line that has an offset.
func (s *source) lineOf(at int) int {
	low, high := 0, len(s.lines)
	for high-low > 1 {
		if middle := (low + high) / 2; s.lines[middle] <= at {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// line returns the text of a line without its end; empty beyond the last one.
func (s *source) line(i int) []byte {
	if i < 0 || i >= len(s.lines) {
		return nil
	}
	return bytes.TrimSuffix(s.text[s.lines[i]:s.after(i)], []byte("\n"))
}

// after returns the offset of the line after line i.
func (s *source) after(i int) int {
	if i+1 < len(s.lines) {
		return s.lines[i+1]
	}
	return len(s.text)
}

// indentation returns the number of spaces before a line's content, and the content.
func indentation(line []byte) (int, []byte) {
	content := bytes.TrimLeft(line, " ")
	return len(line) - len(content), bytes.TrimSpace(content)
}

// absent reports whether a node is a null without a text, as after "key:".
func absent(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Tag == "!!null"
}

// end returns the offset after the last byte of a node. parent is the indentation of the mapping or
// list around the node, -1 at the root.
func (s *source) end(n *yaml.Node, parent int) (int, error) {
	at := s.start(n)
	switch {
	case n.Kind == yaml.ScalarNode:
		return s.endOfScalar(n, at, parent)
	case n.Kind == yaml.AliasNode:
		return at + len(s.word(at)), nil
	case n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0:
		return s.closing(at)
	case n.Kind == yaml.MappingNode:
		last := len(n.Content) - 2
		return s.endOfMember(n.Content[last], n.Content[last+1])
	case n.Kind == yaml.SequenceNode:
		dashes, err := s.dashes(n)
		if err != nil {
			return 0, err
		}
		return s.endOfItem(n, len(n.Content)-1, dashes[len(dashes)-1])
	}
	return 0, errExtent
}

// endOfMember returns the end of a member of a block mapping.
func (s *source) endOfMember(key, value *yaml.Node) (int, error) {
	if absent(value) {
		return s.colon(key)
	}
	return s.end(value, key.Column-1)
}

// endOfItem returns the end of item i of a block sequence.
func (s *source) endOfItem(n *yaml.Node, i, dash int) (int, error) {
	if absent(n.Content[i]) {
		return dash + 1, nil
	}
	return s.end(n.Content[i], n.Column-1)
}

// colon returns the offset after the colon of a key.
func (s *source) colon(key *yaml.Node) (int, error) {
	at, err := s.endOfScalar(key, s.start(key), 0)
	if err != nil {
		return 0, err
	}
	for at < len(s.text) && s.text[at] == ' ' {
		at++
	}
	if at == len(s.text) || s.text[at] != ':' {
		return 0, errExtent
	}
	return at + 1, nil
}

// dashes returns the offsets of the dashes of a block sequence.
func (s *source) dashes(n *yaml.Node) (list []int, err error) {
	at := s.start(n)
	for i := range n.Content {
		if i > 0 {
			end, err := s.endOfItem(n, i-1, at)
			if err != nil {
				return nil, err
			}
			if at, err = s.nextDash(end, n.Column); err != nil {
				return nil, err
			}
		}
		if at >= len(s.text) || s.text[at] != '-' {
			return nil, errExtent
		}
		list = append(list, at)
	}
	return list, nil
}

// nextDash returns the offset of the first dash after an offset, which comments and empty lines may
// separate.
func (s *source) nextDash(from, column int) (int, error) {
	for i := s.lineOf(from) + 1; i < len(s.lines); i++ {
		indent, content := indentation(s.line(i))
		switch {
		case len(content) == 0 || content[0] == '#':
		case content[0] == '-' && indent == column-1:
			return s.lines[i] + indent, nil
		default:
			return 0, errExtent
		}
	}
	return 0, errExtent
}

// closing returns the offset after the bracket that closes the one at an offset.
func (s *source) closing(at int) (int, error) {
	depth := 0
	for at < len(s.text) {
		switch c := s.text[at]; c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1, nil
			}
		case '"', '\'':
			if before := bytes.TrimRight(s.text[:at], " \t\n"); len(before) > 0 && strings.IndexByte("{[,:", before[len(before)-1]) >= 0 {
				end, err := s.closingQuote(at)
				if err != nil {
					return 0, err
				}
				at = end - 1
			}
		case '#':
			if s.text[at-1] == ' ' || s.text[at-1] == '\n' {
				at = s.after(s.lineOf(at)) - 1
			}
		}
		if at++; depth == 0 {
			break
		}
	}
	return 0, errExtent
}

// closingQuote returns the offset after the quote that closes the one at an offset.
func (s *source) closingQuote(at int) (int, error) {
	quote := s.text[at]
	for at++; at < len(s.text); at++ {
		switch {
		case quote == '"' && s.text[at] == '\\':
			at++
		case s.text[at] == quote && quote == '\'' && at+1 < len(s.text) && s.text[at+1] == quote:
			at++
		case s.text[at] == quote:
			return at + 1, nil
		}
	}
	return 0, errExtent
}

func (s *source) endOfScalar(n *yaml.Node, at, parent int) (int, error) {
	switch {
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		if at == len(s.text) || s.text[at] != '"' && s.text[at] != '\'' {
			return 0, errExtent
		}
		return s.closingQuote(at)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return s.endOfBlock(at, parent)
	}
	for _, r := range n.Value { // white space may be folded
		if unicode.IsSpace(r) {
			continue
		}
		for at < len(s.text) && (s.text[at] == ' ' || s.text[at] == '\n' || s.text[at] == '\t') {
			at++
		}
		if got, size := utf8.DecodeRune(s.text[at:]); got == r {
			at += size
			continue
		}
		return 0, errExtent
	}
	return at, nil
}

// endOfBlock returns the end of a literal or folded text that begins at an offset.
func (s *source) endOfBlock(at, parent int) (int, error) {
	first := s.lineOf(at)
	header := s.word(at)
	content, end := -1, at+len(header)
	for _, c := range header {
		if c >= '1' && c <= '9' {
			content = max(parent, 0) + int(c-'0')
		}
	}
	for i := first + 1; i < len(s.lines); i++ {
		indent, text := indentation(s.line(i))
		if len(text) == 0 {
			if bytes.ContainsRune(header, '+') && i+1 < len(s.lines) {
				end = s.after(i) - 1
			}
			continue
		}
		if content < 0 {
			content = max(indent, parent+1)
		}
		if indent < content {
			break
		}
		end = s.lines[i] + len(s.line(i))
	}
	return end, nil
}
