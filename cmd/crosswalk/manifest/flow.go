package manifest

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// flowMapping edits a mapping in braces.
func (e *editor) flowMapping(old, want *yaml.Node) error {
	list, err := members(e.source, old)
	if err != nil {
		return err
	}
	asJSON := old.Content[0].Style&yaml.DoubleQuotedStyle != 0
	from := pair(list, want)
	for o := range list {
		if list[o].to < 0 {
			continue
		}
		err := e.member(&list[o], want, 0, func(m *member, key, value *yaml.Node) error { return e.replaceFlow(m.start, m.end, key, value, asJSON) })
		if err != nil {
			return err
		}
	}
	var added []flowPart
	for w, o := range from {
		if o < 0 {
			added = append(added, flowPart{want.Content[2*w], want.Content[2*w+1]})
		}
	}
	spans := make([]span, len(list))
	for o, m := range list {
		spans[o] = span{m.start, m.end, m.to < 0}
	}
	return e.changeFlow(spans, added, asJSON)
}

// flowSequence edits a list in brackets.
func (e *editor) flowSequence(old, want *yaml.Node) error {
	front, back := align(old.Content, want.Content)
	asJSON := bytes.HasPrefix(bytes.TrimSpace(e.text), []byte("{"))
	var spans []span
	for i, n := range old.Content {
		s := span{from: e.start(n), gone: i >= front && i < len(old.Content)-back}
		var err error
		if s.to, err = e.end(n, 0); err != nil {
			return err
		}
		spans = append(spans, s)
		if s.gone {
			continue
		}
		w := i
		if i >= front {
			w = i - len(old.Content) + len(want.Content)
		}
		value := want.Content[w]
		if err := e.value(n, value, 0, func() error { return e.replaceFlow(s.from, s.to, nil, value, asJSON) }); err != nil {
			return err
		}
	}
	var added []flowPart
	for _, n := range want.Content[front : len(want.Content)-back] {
		added = append(added, flowPart{nil, n})
	}
	if len(added) > 0 && back > 0 { // in between
		last := spans[front:]
		return e.insertFlow(last[0].from, last[0].from, added, asJSON, func(text string) string { return text + ", " })
	}
	return e.changeFlow(spans, added, asJSON)
}

// span is a part of a flow collection.
type span struct {
	from, to int
	gone     bool
}

// flowPart is a new member, or a new item without a key.
type flowPart struct{ key, value *yaml.Node }

// changeFlow deletes the parts of a flow collection that go, and adds new ones after the last that
// stays.
func (e *editor) changeFlow(spans []span, added []flowPart, asJSON bool) error {
	stays := -1
	for i, s := range spans {
		if !s.gone {
			stays = i
		}
	}
	if stays < 0 { // all go
		if len(added) == 0 {
			return errExtent
		}
		return e.insertFlow(spans[0].from, spans[len(spans)-1].to, added, asJSON, func(text string) string { return text })
	}
	for i, s := range spans {
		if s.gone && i < stays {
			e.changes.delete(s.from, spans[i+1].from)
		}
	}
	if stays+1 < len(spans) {
		e.changes.delete(spans[stays].to, spans[len(spans)-1].to)
	}
	if len(added) == 0 {
		return nil
	}
	between := ", "
	if line := e.lineOf(spans[stays].from); len(spans) > 1 && e.first(spans[stays].from) { // one on a line
		indent, _ := indentation(e.line(line))
		between = ",\n" + spaces(indent)
	}
	at := spans[stays].to
	return e.insertFlow(at, at, added, asJSON, func(text string) string { return between + text })
}

func (e *editor) insertFlow(from, to int, added []flowPart, asJSON bool, around func(string) string) error {
	e.changes.replace(from, to, func() (string, error) {
		var parts []string
		for _, part := range added {
			text, err := e.renderFlow(part.key, part.value, from, asJSON)
			if err != nil {
				return "", err
			}
			parts = append(parts, text)
		}
		between := ", "
		if indent, content := indentation(e.line(e.lineOf(from))); asJSON && !strings.ContainsAny(string(content[:min(1, len(content))]), "{[") {
			between = ",\n" + spaces(indent)
		}
		return around(strings.Join(parts, between)), nil
	})
	return nil
}

func (e *editor) replaceFlow(from, to int, key, value *yaml.Node, asJSON bool) error {
	e.changes.replace(from, to, func() (string, error) { return e.renderFlow(key, value, from, asJSON) })
	return nil
}

// renderFlow writes a member or an item for a flow collection; JSON as the lines around it.
func (e *editor) renderFlow(key, value *yaml.Node, at int, asJSON bool) (string, error) {
	if !asJSON {
		if key == nil {
			return encodeFlow(value)
		}
		text, err := encodeFlow(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}})
		return strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"), err
	}
	text, err := plainyaml.AppendJSON(nil, value, plainyaml.JSONNumber)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if indent, content := indentation(e.line(e.lineOf(at))); len(content) > 0 && content[0] != '{' && content[0] != '[' {
		err = json.Indent(&b, text, spaces(indent), spaces(e.jsonStep()))
		text = b.Bytes()
	}
	if key == nil || err != nil {
		return string(text), err
	}
	name, err := json.Marshal(key.Value)
	return string(name) + ": " + string(text), err
}

// jsonStep returns the indentation of the first member of a JSON document.
func (e *editor) jsonStep() int {
	if indent, _ := indentation(e.line(1)); indent > 0 {
		return indent
	}
	return 2
}
