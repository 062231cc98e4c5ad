package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// The YAML of a sidecar is read as a tree of nodes and never into Go values, for three reasons. Numbers keep their text, where
// the usual way through float64 turns 9007199254740993 into 9007199254740992 and 1.0 into 1. Aliases are refused, where
// expanding them turns a kilobyte into gigabytes. And every error can name its line.

// parseYAML returns the one document of a file. It never panics.
func parseYAML(content []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("is no YAML that can be read: %v", r)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(content))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && (len(doc.Content) != 1 || doc.Content[0].ShortTag() == "!!null"):
		return nil, errors.New("is empty: delete it, or see docs/sidecar.md for what it may say")
	case err != nil:
		return nil, fmt.Errorf("is no YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("has more than one YAML document; one belongs in a sidecar")
	}
	return doc.Content[0], nil
}

// eachMember calls f for every member of the mapping at a path. allowed names the members there may be; none means any.
func eachMember(path string, n *yaml.Node, allowed []string, f func(key string, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return wrongType(path, n, "a mapping")
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge":
			return fmt.Errorf("line %d: merge keys (<<) are not read: write the members out", key.Line)
		case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" && key.ShortTag() != "!!timestamp":
			return fmt.Errorf("line %d: a key is %s, not text: put it into quotes", key.Line, kindOfNode(key))
		case seen[key.Value]:
			return fmt.Errorf("line %d: the key %q is there twice", key.Line, key.Value)
		case allowed != nil && !slices.Contains(allowed, key.Value):
			return fmt.Errorf("line %d: %s has no member %q; it may have %s", key.Line, orSidecar(path), key.Value, strings.Join(allowed, ", "))
		}
		seen[key.Value] = true
		if err := f(key.Value, value); err != nil {
			return err
		}
	}
	return nil
}

// textAt returns the text at a path. A number will do as text, for a digest or a version may look like one.
func textAt(path string, n *yaml.Node) (string, error) {
	if n.Kind == yaml.ScalarNode {
		switch n.ShortTag() {
		case "!!str", "!!int", "!!float", "!!timestamp":
			return n.Value, nil
		}
	}
	return "", wrongType(path, n, "text")
}

func wrongType(path string, n *yaml.Node, want string) error {
	return fmt.Errorf("line %d: %s is %s, not %s", n.Line, orSidecar(path), kindOfNode(n), want)
}

func orSidecar(path string) string {
	if path == "" {
		return "the sidecar"
	}
	return path
}

func kindOfNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return "null"
	case "!!bool":
		return "a boolean"
	case "!!int", "!!float":
		return "a number"
	case "!!str", "!!timestamp":
		return "text"
	default:
		return "a " + tag
	}
}

// appendJSON appends a node as JSON. What a YAML 1.1 reader such as kubectl's takes for something else than a YAML 1.2 reader
// is refused, not guessed at.
func appendJSON(dst []byte, n *yaml.Node) (_ []byte, err error) {
	switch n.Kind {
	case yaml.MappingNode:
		dst = append(dst, '{')
		first := len(dst)
		err = eachMember("", n, nil, func(key string, value *yaml.Node) (err error) {
			if len(dst) > first {
				dst = append(dst, ',')
			}
			dst = append(rawjson.Quote(dst, key), ':')
			dst, err = appendJSON(dst, value)
			return err
		})
		return append(dst, '}'), err
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, value := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendJSON(dst, value); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case yaml.ScalarNode:
		return appendScalar(dst, n)
	}
	return nil, fmt.Errorf("line %d: aliases (*%s) are not read: write the value out", n.Line, n.Value)
}

func appendScalar(dst []byte, n *yaml.Node) ([]byte, error) {
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return append(dst, "null"...), nil
	case "!!bool":
		value := strings.ToLower(n.Value)
		if value != "true" && value != "false" {
			return nil, fmt.Errorf("line %d: %q is no boolean: write true or false", n.Line, n.Value)
		}
		return append(dst, value...), nil
	case "!!int", "!!float":
		var s rawjson.Scanner
		s.Reset([]byte(n.Value), 0)
		if s.Peek() != rawjson.Number || s.Skip() != (rawjson.Span{End: len(n.Value)}) || !s.End() {
			return nil, fmt.Errorf("line %d: %s is no number as JSON has them (an int64 or a finite float64): write it so, or in quotes if it is text", n.Line, n.Value)
		}
		return append(dst, n.Value...), nil
	case "!!str", "!!timestamp":
		if n.Style == 0 && slices.Contains([]string{"yes", "no", "on", "off"}, strings.ToLower(n.Value)) {
			return nil, fmt.Errorf("line %d: %s is text to some readers of YAML and a boolean to others: write true or false, or put it into quotes", n.Line, n.Value)
		}
		return rawjson.Quote(dst, n.Value), nil
	default:
		return nil, fmt.Errorf("line %d: a value has the type %s, which JSON does not have", n.Line, tag)
	}
}
