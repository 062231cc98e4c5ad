package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Edit changes the text of one YAML or JSON document so that its value is another one. The text of
// all values that stay is kept, with comments, order and quotes; a value that only moves takes its
// text and its comments along.
//
// # Errors
//
// The text cannot be edited in place. Edit parses its result, and returns no text that means
// something else than the value.
func Edit(text, value []byte) ([]byte, error) {
	root, err := plainyaml.Parse(text, limits)
	if err != nil {
		return nil, err
	}
	want, err := output.Node(value)
	if err != nil {
		return nil, err
	}
	e := &editor{source: newSource(text)}
	e.learn(root)
	if root.Kind != yaml.MappingNode || want.Kind != yaml.MappingNode {
		return nil, errExtent
	}
	if err := e.value(root, want, -1, func() error { return errExtent }); err != nil {
		return nil, err
	}
	result, err := e.apply()
	if err != nil {
		return nil, err
	}
	return result, means(result, value)
}

// means returns an error unless a text has a value.
func means(text, value []byte) error {
	root, err := plainyaml.Parse(text, limits)
	if err != nil {
		return errors.Join(errExtent, err)
	}
	got, err := plainyaml.AppendJSON(nil, root, plainyaml.JSONNumber)
	if err != nil {
		return errors.Join(errExtent, err)
	}
	if !rawjson.Equal(got, value) {
		return errExtent
	}
	return nil
}

// edit replaces a part of the text. text is called after all edits are known.
type edit struct {
	from, to int
	text     func() (string, error)
}

// editor collects the edits of a document.
type editor struct {
	*source
	edits   []edit
	removed []removed // members whose text another place may take
	step    int       // the indentation of a mapping within a mapping
	dash    int       // and that of a list
}

func (e *editor) replace(from, to int, text func() (string, error)) {
	e.edits = append(e.edits, edit{from, to, text})
}

func (e *editor) delete(from, to int) {
	e.replace(from, to, func() (string, error) { return "", nil })
}

// apply returns the text with all edits.
func (e *editor) apply() (out []byte, err error) {
	order := make([]int, len(e.edits))
	texts := make([]string, len(e.edits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(e.edits[a].from, e.edits[b].from), cmp.Compare(e.edits[a].to, e.edits[b].to))
	})
	for _, i := range order {
		if texts[i], err = e.edits[i].text(); err != nil {
			return nil, err
		}
	}
	for i := len(e.removed) - 1; i >= 0; i-- {
		if r := e.removed[i]; r.heir >= 0 && !r.used {
			rest, isAtEnd := strings.CutPrefix(texts[r.heir], "\n")
			if texts[r.heir] = r.comments() + rest; isAtEnd {
				texts[r.heir] = "\n" + texts[r.heir]
			}
		}
	}
	at := 0
	for _, i := range order {
		edit := e.edits[i]
		if edit.from < at || edit.to < edit.from {
			return nil, errExtent
		}
		out = append(append(out, e.text[at:edit.from]...), texts[i]...)
		at = edit.to
	}
	return append(out, e.text[at:]...), nil
}

// learn finds out how the document indents.
func (e *editor) learn(root *yaml.Node) {
	e.step, e.dash = 0, -1
	var look func(n *yaml.Node)
	look = func(n *yaml.Node) {
		for i := 0; n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			block := value.Style&yaml.FlowStyle == 0 && value.Line > key.Line
			if by := value.Column - key.Column; block && value.Kind == yaml.MappingNode && e.step == 0 && by > 0 {
				e.step = by
			} else if block && value.Kind == yaml.SequenceNode && e.dash < 0 && by >= 0 {
				e.dash = by
			}
		}
		for _, child := range n.Content {
			look(child)
		}
	}
	look(root)
	if e.step == 0 {
		e.step = 2
	}
	e.dash = max(e.dash, 0)
}

// same reports whether two nodes have one value.
func same(a, b *yaml.Node) bool {
	x, err := plainyaml.AppendJSON(nil, a, plainyaml.JSONNumber)
	if err != nil {
		return false
	}
	y, err := plainyaml.AppendJSON(nil, b, plainyaml.JSONNumber)
	return err == nil && rawjson.Equal(x, y)
}

func isFlow(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 }

// isBlockText reports whether a text has lines of its own.
func isBlockText(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// value edits a value. around replaces it together with its key or its dash.
func (e *editor) value(old, want *yaml.Node, parent int, around func() error) error {
	switch {
	case same(old, want):
		return nil
	case old.Kind == yaml.ScalarNode && want.Kind == yaml.ScalarNode && !absent(old) && !isBlockText(old) && !isBlockText(want):
		at := e.start(old)
		end, err := e.end(old, parent)
		if err != nil {
			return err
		}
		quoted := *want
		if both := yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle; want.Tag == "!!str" && old.Style&both != 0 && !strings.Contains(want.Value, "\n") {
			quoted.Style = old.Style & both
		}
		e.replace(at, end, func() (string, error) { return encode(&quoted) })
		return nil
	case old.Kind != want.Kind || old.Kind == yaml.ScalarNode || len(want.Content) == 0 || len(old.Content) == 0:
		return around()
	case old.Kind == yaml.MappingNode && isFlow(old):
		return e.flowMapping(old, want)
	case old.Kind == yaml.MappingNode:
		return e.mapping(old, want, around)
	case isFlow(old):
		return e.flowSequence(old, want)
	}
	return e.sequence(old, want, around)
}

// headOf returns the offset of the comment directly above a line that begins with the content at an
// offset, or of the line if there is none.
func (e *editor) headOf(at int) int {
	i := e.lineOf(at)
	column := at - e.lines[i]
	for ; i > 0; i-- {
		indent, content := indentation(e.line(i - 1))
		if len(content) == 0 || content[0] != '#' || indent != column {
			break
		}
	}
	return e.lines[i]
}

// tailOf returns the offset after the line that has an offset, and after comments below it that are
// indented deeper than a column.
func (e *editor) tailOf(end, column int) int {
	i := e.lineOf(end)
	for ; i+1 < len(e.lines); i++ {
		indent, content := indentation(e.line(i + 1))
		if len(content) == 0 || content[0] != '#' || indent <= column {
			break
		}
	}
	return e.after(i)
}

// comment returns the comment after an offset in its line, and the offset of its end.
func (e *editor) comment(end int) (text string, to int) {
	line := e.lineOf(end)
	to = e.lines[line] + len(e.line(line))
	if rest := bytes.TrimSpace(e.text[end:max(to, end)]); len(rest) > 0 && rest[0] == '#' {
		return string(rest), to
	}
	return "", end
}

// first reports whether only spaces stand before an offset in its line.
func (e *editor) first(at int) bool {
	return len(bytes.TrimLeft(e.text[e.lines[e.lineOf(at)]:at], " ")) == 0
}

// insertion returns a text for an insertion at the beginning of a line.
func (e *editor) insertion(at int, text string) string {
	if at > 0 && e.text[at-1] != '\n' {
		return "\n" + text + "\n"
	}
	return text + "\n"
}
