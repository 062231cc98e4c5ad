package input

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Parse returns the objects of a text, which messages call by a name.
//
// # Errors
//
// The text is empty, or a document in it is neither YAML nor JSON, or not an object.
func Parse(name string, text []byte) ([]Object, error) {
	documents, isYAML, err := split(text)
	if err != nil {
		return nil, fmt.Errorf("%s is neither JSON nor YAML: %w", name, err)
	}
	if len(documents) == 0 {
		return nil, fmt.Errorf("%s is empty: it must have objects, a list or a ConversionReview, as YAML or JSON", name)
	}
	var all []json.RawMessage
	for i, d := range documents {
		objects, err := objectsOf(d)
		if err != nil {
			return nil, fmt.Errorf("%s: document %d %w", name, i+1, err)
		}
		all = append(all, objects...)
	}
	list := make([]Object, len(all))
	for i, o := range all {
		list[i] = Object{JSON: o, From: number(name, i, len(all)), YAML: isYAML}
	}
	return list, nil
}

// split returns the documents of a text as JSON. JSON values may follow each other without a
// separator.
func split(text []byte) (documents []json.RawMessage, isYAML bool, err error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if first := bytes.TrimSpace(text); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		documents, err := splitJSON(first)
		if err == nil {
			return documents, false, nil
		}
		if documents, yamlErr := splitYAML(text); yamlErr == nil {
			return documents, true, nil // {a: b} is YAML, too
		}
		return nil, false, err
	}
	documents, err = splitYAML(text)
	return documents, true, err
}

func splitJSON(text []byte) (documents []json.RawMessage, err error) {
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var document json.RawMessage
		switch err := d.Decode(&document); {
		case errors.Is(err, io.EOF):
			return documents, nil
		case err != nil:
			offset := d.InputOffset()
			if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
				offset = syntax.Offset
			}
			return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(text[:min(offset, int64(len(text)))], []byte{'\n'}), err)
		}
		documents = append(documents, document)
	}
}

func splitYAML(text []byte) (documents []json.RawMessage, err error) {
	parts := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for nodes := maxNodes; ; {
		part, err := parts.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		root, err := plainyaml.Parse(part, plainyaml.Limits{Bytes: maxBytes, Nodes: nodes, Depth: maxDepth})
		if errors.Is(err, plainyaml.ErrEmpty) {
			continue
		}
		var document []byte
		if err == nil {
			document, err = plainyaml.AppendJSON(nil, root, plainyaml.JSONNumber)
		}
		if err != nil {
			if len(documents) > 0 {
				return nil, fmt.Errorf("in document %d: %w", len(documents)+1, err)
			}
			return nil, err
		}
		nodes -= bytes.Count(document, []byte{','})
		documents = append(documents, document)
	}
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
