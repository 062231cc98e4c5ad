package manifest

import (
	"bytes"
	"errors"
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

// writer writes new values as the document is written.
type writer struct {
	*stock
	step int // the indentation of a mapping within a mapping
	dash int // and that of a list
}

// render writes a member of a block mapping.
func (w *writer) render(key, value *yaml.Node) (lines []string, err error) {
	if lines, ok := w.take(key, value); ok {
		return lines, nil
	}
	if len(value.Content) == 0 {
		return w.encodeLines(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}})
	}
	name, err := encode(key)
	if err != nil {
		return nil, err
	}
	lines = []string{name + ":"}
	part, indent := []string(nil), w.dash
	if value.Kind == yaml.SequenceNode {
		part, err = w.renderItems(value.Content)
	} else {
		part, err = w.renderMembers(value)
		indent = w.step
	}
	return append(lines, indented(part, indent)...), err
}

func (w *writer) renderMembers(n *yaml.Node) (lines []string, err error) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		part, err := w.render(n.Content[i], n.Content[i+1])
		if err != nil {
			return nil, err
		}
		lines = append(lines, part...)
	}
	return lines, nil
}

// renderItems writes items of a block sequence.
func (w *writer) renderItems(items []*yaml.Node) (lines []string, err error) {
	for _, item := range items {
		var part []string
		if item.Kind == yaml.MappingNode && len(item.Content) > 0 {
			part, err = w.renderMembers(item)
		} else {
			part, err = w.encodeLines(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{item}})
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

func (w *writer) encodeLines(n *yaml.Node) ([]string, error) {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(w.step)
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

// learn finds out how the document indents.
func (w *writer) learn(root *yaml.Node) {
	w.step, w.dash = 0, -1
	var look func(n *yaml.Node)
	look = func(n *yaml.Node) {
		for i := 0; n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			block := value.Style&yaml.FlowStyle == 0 && value.Line > key.Line
			if by := value.Column - key.Column; block && value.Kind == yaml.MappingNode && w.step == 0 && by > 0 {
				w.step = by
			} else if block && value.Kind == yaml.SequenceNode && w.dash < 0 && by >= 0 {
				w.dash = by
			}
		}
		for _, child := range n.Content {
			look(child)
		}
	}
	look(root)
	if w.step == 0 {
		w.step = 2
	}
	w.dash = max(w.dash, 0)
}
