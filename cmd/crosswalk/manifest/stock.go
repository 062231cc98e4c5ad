package manifest

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// removed is a member whose text another place may take.
type removed struct {
	key, value *yaml.Node
	lines      []string // its text from the column of the key, with its comments
	at         int      // the line with the key
	used       bool
	heir       int // the edit that takes the comments if no place takes the text; -1 if there is none
	column     int // of the heir
}

// comments returns the comments of a member as lines.
func (r removed) comments() (text string) {
	list := slices.Clone(r.lines[:r.at])
	s := newSource([]byte(strings.Join(r.lines, "\n")))
	if end, err := s.endOfScalar(r.value, s.lines[r.at]+r.value.Column-r.key.Column, 0); err == nil && r.value.Kind == yaml.ScalarNode && r.value.Line == r.key.Line {
		if comment := strings.TrimSpace(string(s.text[end:s.after(s.lineOf(end))])); strings.HasPrefix(comment, "#") {
			list = append(list, comment)
		}
	}
	for _, line := range list {
		text += spaces(r.column) + line + "\n"
	}
	return text
}

// stock has the members that go: another place may take their text, with its comments.
type stock struct {
	*source
	removed []removed
}

// keep keeps the text of a member that goes, and those of the members in it.
func (s *stock) keep(m member) {
	if r, ok := s.cut(m); ok {
		s.removed = append(s.removed, r)
	}
	s.keepWithin(m.value)
}

func (s *stock) keepWithin(n *yaml.Node) {
	if isFlow(n) {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		list, err := members(s.source, n)
		if err != nil {
			return
		}
		for _, m := range list {
			s.keep(m)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			s.keepWithin(item)
		}
	}
}

// cut returns the text of a member of a block mapping.
func (s *stock) cut(m member) (r removed, ok bool) {
	column := m.key.Column - 1
	from, first := m.start, s.lineOf(m.start)
	if s.first(m.start) {
		from = s.headOf(m.start)
	}
	r = removed{key: m.key, value: m.value, at: first - s.lineOf(from), heir: -1}
	text := strings.TrimSuffix(string(s.text[from:s.tailOf(m.end, column)]), "\n")
	for i, line := range strings.Split(text, "\n") {
		cut, isIndented := strings.CutPrefix(line, spaces(column))
		switch {
		case i == 0 && from == m.start:
			cut = line
		case strings.TrimSpace(line) == "":
			cut = ""
		case !isIndented:
			return removed{}, false
		}
		r.lines = append(r.lines, cut)
	}
	return r, true
}

// take returns the text of a removed member with the value, under a key.
func (s *stock) take(key, value *yaml.Node) (lines []string, ok bool) {
	var found *removed
	for i := range s.removed {
		r := &s.removed[i]
		if !r.used && same(r.value, value) && (found == nil || r.key.Value == key.Value && found.key.Value != key.Value) {
			found = r
		}
	}
	if found == nil || len(value.Content) == 0 && found.key.Value != key.Value && isCommon(value) {
		return nil, false
	}
	found.used = true
	lines = append(lines, found.lines...)
	name, err := encode(key)
	if err != nil {
		return nil, false
	}
	if key.Value != found.key.Value {
		end, err := newSource([]byte(lines[found.at])).endOfScalar(found.key, 0, 0)
		if err != nil {
			return nil, false
		}
		lines[found.at] = name + lines[found.at][end:]
	}
	return lines, true
}

// isCommon reports whether two fields may have a value by accident.
func isCommon(n *yaml.Node) bool {
	return slices.Contains([]string{"", "0", "1", "true", "false", "null"}, n.Value)
}
