package manifest

import (
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
	e := &editor{writer: &writer{stock: &stock{source: newSource(text)}}}
	e.learn(root)
	if root.Kind != yaml.MappingNode || want.Kind != yaml.MappingNode {
		return nil, errExtent
	}
	if err := e.value(root, want, -1, func() error { return errExtent }); err != nil {
		return nil, err
	}
	result, err := e.changes.apply(text, e.removed)
	if err != nil {
		return nil, err
	}
	return result, means(result, value)
}

// means returns an error unless a text has a value.
func means(text, value []byte) error {
	root, err := plainyaml.Parse(text, limits)
	if err != nil {
		return errExtent
	}
	if got, err := plainyaml.AppendJSON(nil, root, plainyaml.JSONNumber); err != nil || !rawjson.Equal(got, value) {
		return errExtent
	}
	return nil
}

// editor changes the values of a document: it compares them, and collects the edits.
type editor struct {
	*writer
	changes edits
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
		e.changes.replace(at, end, func() (string, error) { return encode(&quoted) })
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

// insertion returns a text for an insertion at the beginning of a line.
func (e *editor) insertion(at int, text string) string {
	if at > 0 && e.text[at-1] != '\n' {
		return "\n" + text + "\n"
	}
	return text + "\n"
}
