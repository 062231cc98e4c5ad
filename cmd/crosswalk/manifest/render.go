package manifest

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

func spaces(n int) string { return strings.Repeat(" ", n) }

// join joins lines, of which all but the first are indented.
func join(lines []string, indent int) string {
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" {
			lines[i] = spaces(indent) + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

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

// keep keeps the text of a member that goes, and those of the members in it.
func (e *editor) keep(m member) {
	if r, ok := e.cut(m); ok {
		e.removed = append(e.removed, r)
	}
	e.keepWithin(m.value)
}

func (e *editor) keepWithin(n *yaml.Node) {
	if isFlow(n) {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		list, err := e.members(n)
		if err != nil {
			return
		}
		for _, m := range list {
			e.keep(m)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			e.keepWithin(item)
		}
	}
}

// cut returns the text of a member of a block mapping.
func (e *editor) cut(m member) (r removed, ok bool) {
	column := m.key.Column - 1
	from, first := m.start, e.lineOf(m.start)
	if e.first(m.start) {
		from = e.headOf(m.start)
	}
	r = removed{key: m.key, value: m.value, at: first - e.lineOf(from), heir: -1}
	text := strings.TrimSuffix(string(e.text[from:e.tailOf(m.end, column)]), "\n")
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
func (e *editor) take(key, value *yaml.Node) (lines []string, ok bool) {
	var found *removed
	for i := range e.removed {
		r := &e.removed[i]
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

// render writes a member of a block mapping.
func (e *editor) render(key, value *yaml.Node) (lines []string, err error) {
	if lines, ok := e.take(key, value); ok {
		return lines, nil
	}
	if len(value.Content) == 0 {
		return e.encodeLines(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}})
	}
	name, err := encode(key)
	if err != nil {
		return nil, err
	}
	lines = []string{name + ":"}
	part, indent := []string(nil), e.dash
	if value.Kind == yaml.SequenceNode {
		part, err = e.renderItems(value.Content)
	} else {
		part, err = e.renderMembers(value)
		indent = e.step
	}
	return append(lines, indented(part, indent)...), err
}

func (e *editor) renderMembers(n *yaml.Node) (lines []string, err error) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		part, err := e.render(n.Content[i], n.Content[i+1])
		if err != nil {
			return nil, err
		}
		lines = append(lines, part...)
	}
	return lines, nil
}

// renderItems writes items of a block sequence.
func (e *editor) renderItems(items []*yaml.Node) (lines []string, err error) {
	for _, item := range items {
		var part []string
		if item.Kind == yaml.MappingNode && len(item.Content) > 0 {
			part, err = e.renderMembers(item)
		} else {
			part, err = e.encodeLines(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{item}})
			if err == nil {
				part[0] = strings.TrimPrefix(part[0], "- ")
				for i := 1; i < len(part); i++ {
					part[i] = strings.TrimPrefix(part[i], "  ")
				}
			}
		}
		if err != nil {
			return nil, err
		}
		part = indented(part, 2)
		part[0] = "- " + strings.TrimPrefix(part[0], "  ")
		lines = append(lines, part...)
	}
	return lines, nil
}

func indented(lines []string, indent int) []string {
	for i, line := range lines {
		if line != "" {
			lines[i] = spaces(indent) + line
		}
	}
	return lines
}

func (e *editor) encodeLines(n *yaml.Node) ([]string, error) {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(e.step)
	encoder.CompactSeqIndent()
	if err := errors.Join(encoder.Encode(n), encoder.Close()); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"), nil
}

// encode writes a scalar on one line.
func encode(n *yaml.Node) (string, error) {
	text, err := yaml.Marshal(n)
	return strings.TrimSuffix(string(text), "\n"), err
}

// encodeFlow writes a node on one line, in braces and brackets.
func encodeFlow(n *yaml.Node) (string, error) {
	flat := *n
	var flatten func(n *yaml.Node)
	flatten = func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode {
			n.Style = yaml.FlowStyle
		} else if isBlockText(n) {
			n.Style = yaml.DoubleQuotedStyle
		}
		for _, child := range n.Content {
			flatten(child)
		}
	}
	flatten(&flat)
	return encode(&flat)
}
