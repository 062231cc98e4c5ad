package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Parse returns the objects of a text, which messages call by a name.
//
// # Errors
//
// The text is empty, or a document in it is neither YAML nor JSON, not an object, or too large.
func Parse(name string, text []byte) ([]Object, error) { return parse(name, text, maxObject) }

// parse is Parse with objects of at most so many bytes.
func parse(name string, text []byte, most int) ([]Object, error) {
	documents, isYAML, err := split(text)
	if err != nil {
		return nil, fmt.Errorf("%s is neither JSON nor YAML: %w", name, err)
	}
	if len(documents) == 0 {
		return nil, fmt.Errorf("%s is empty: it must have objects, a list or a ConversionReview, as YAML or JSON", name)
	}
	var list []Object
	for i, d := range documents {
		objects, err := objectsOf(d.value)
		if err != nil {
			return nil, fmt.Errorf("%s: document %d %w", name, i+1, err)
		}
		for i, o := range objects {
			from := fmt.Sprintf("%s:%d", name, d.line)
			if i < len(d.items) && len(d.items) == len(objects) {
				from = fmt.Sprintf("%s:%d", name, d.items[i])
			} else if len(objects) > 1 {
				from += fmt.Sprintf(", object %d", i+1)
			}
			if len(o) > most {
				return nil, fmt.Errorf("%s: the object has %d bytes, of at most %d: no API server stores one of that size; remove it from the file", from, len(o), most)
			}
			list = append(list, Object{JSON: o, From: from, YAML: isYAML})
		}
	}
	return list, nil
}

// document is one value of a text.
type document struct {
	value json.RawMessage
	line  int   // where it begins
	items []int // where the items of a list in YAML begin
}

// split returns the documents of a text as JSON. JSON values may follow each other without a
// separator.
func split(text []byte) (documents []document, isYAML bool, err error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if first := bytes.TrimSpace(text); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		documents, err := splitJSON(text)
		if err == nil {
			return documents, false, nil
		}
		if documents, yamlErr := splitYAML(text, maxNodes); yamlErr == nil {
			return documents, true, nil // {a: b} is YAML, too
		}
		return nil, false, err
	}
	documents, err = splitYAML(text, maxNodes)
	return documents, true, err
}

func splitJSON(text []byte) (documents []document, err error) {
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var value json.RawMessage
		switch err := d.Decode(&value); {
		case errors.Is(err, io.EOF):
			return documents, nil
		case err != nil:
			offset := d.InputOffset()
			if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
				offset = syntax.Offset
			}
			return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(text[:min(offset, int64(len(text)))], []byte{'\n'}), err)
		}
		from := d.InputOffset() - int64(len(value))
		documents = append(documents, document{value: value, line: 1 + bytes.Count(text[:from], []byte{'\n'})})
	}
}

// splitYAML returns the documents of YAML, each of which has at most so many values.
func splitYAML(text []byte, nodes int) (documents []document, err error) {
	for _, part := range yamlfile.Documents(text) {
		root, err := plainyaml.Parse(part.Text, plainyaml.Limits{Bytes: maxBytes, Nodes: nodes, Depth: maxDepth})
		if errors.Is(err, plainyaml.ErrEmpty) {
			continue
		}
		d := document{}
		if err == nil {
			d.value, err = plainyaml.AppendJSON(nil, root, plainyaml.JSONNumber)
		}
		if err != nil {
			line, why := yamlfile.Locate(err, part.Line)
			return nil, fmt.Errorf("line %d: %s", line, why)
		}
		d.line = part.Line + root.Line - 1
		for i := 0; i+1 < len(root.Content); i += 2 {
			if root.Kind == yaml.MappingNode && root.Content[i].Value == "items" {
				for _, item := range root.Content[i+1].Content {
					d.items = append(d.items, part.Line+item.Line-1)
				}
			}
		}
		documents = append(documents, d)
	}
	return documents, nil
}

// objectsOf returns the objects of a document: an array, a list, a ConversionReview, or one object.
func objectsOf(document json.RawMessage) ([]json.RawMessage, error) {
	if document = bytes.TrimSpace(document); len(document) > 0 && document[0] == '[' {
		var objects []json.RawMessage
		if err := json.Unmarshal(document, &objects); err != nil {
			return nil, err
		}
		return objects, nil
	}
	var head struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
		Request    struct {
			Objects []json.RawMessage `json:"objects"`
		} `json:"request"`
	}
	if len(document) == 0 || document[0] != '{' {
		return nil, errors.New("is not an object as kubectl get -o yaml or -o json writes it")
	}
	if err := json.Unmarshal(document, &head); err != nil {
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			return nil, fmt.Errorf("is not an object as kubectl writes it: its %s is a JSON %s", wrong.Field, wrong.Value)
		}
		return nil, err
	}
	switch kind, isList := strings.CutSuffix(head.Kind, "List"); {
	case head.Kind == "ConversionReview":
		return head.Request.Objects, nil
	case isList && head.Items != nil:
		if kind != "" {
			for i, item := range head.Items {
				head.Items[i] = typed(item, head.APIVersion, kind)
			}
		}
		return head.Items, nil
	}
	return []json.RawMessage{document}, nil
}

// typed returns an item of an API server's list with the apiVersion and the kind that only the
// list has.
func typed(item json.RawMessage, apiVersion, kind string) json.RawMessage {
	var head struct{ APIVersion, Kind *string }
	item = bytes.TrimSpace(item)
	if json.Unmarshal(item, &head) != nil || head.APIVersion != nil || head.Kind != nil || len(item) < 2 || item[0] != '{' {
		return item
	}
	out := rawjson.Quote([]byte(`{"apiVersion":`), apiVersion)
	out = rawjson.Quote(append(out, `,"kind":`...), kind)
	if rest := bytes.TrimSpace(item[1:]); rest[0] != '}' {
		out = append(out, ',')
	}
	return append(out, item[1:]...)
}
