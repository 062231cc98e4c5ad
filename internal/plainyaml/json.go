package plainyaml

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Members calls f for every member of a mapping. A key is text and comes once.
func Members(n *yaml.Node, f func(key, value *yaml.Node) error) error {
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge":
			return fmt.Errorf("line %d: merge keys (<<) are not read: write the members out", key.Line)
		case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" && key.ShortTag() != "!!timestamp":
			return fmt.Errorf("line %d: a key is %s, not text: put it into quotes", key.Line, KindOf(key))
		case seen[key.Value]:
			return fmt.Errorf("line %d: the key %q is there twice", key.Line, foreign.Shorten(key.Value, maxShown))
		}
		seen[key.Value] = true
		if err := f(key, value); err != nil {
			return err
		}
	}
	return nil
}

// KindOf names the kind of a node, as messages do.
func KindOf(n *yaml.Node) string {
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
		return "a " + foreign.Shorten(tag, maxShown)
	}
}

// AppendJSON appends a tree that Parse returned as JSON, with the numbers that isNumber accepts. It
// refuses an alias, and a value that a YAML 1.1 reader such as kubectl's takes for something else
// than a YAML 1.2 reader; it does not guess.
func AppendJSON(dst []byte, n *yaml.Node, isNumber func(text string) bool) (_ []byte, err error) {
	switch n.Kind {
	case yaml.MappingNode:
		dst = append(dst, '{')
		first := len(dst)
		err = Members(n, func(key, value *yaml.Node) (err error) {
			if len(dst) > first {
				dst = append(dst, ',')
			}
			dst = append(rawjson.Quote(dst, key.Value), ':')
			dst, err = AppendJSON(dst, value, isNumber)
			return err
		})
		return append(dst, '}'), err
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, value := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = AppendJSON(dst, value, isNumber); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case yaml.ScalarNode:
		return appendScalar(dst, n, isNumber)
	}
	return nil, fmt.Errorf("line %d: aliases (*%s) are not read: write the value out", n.Line, foreign.Shorten(n.Value, maxShown))
}

// JSONNumber says whether a text is a number as JSON writes it, of any size.
func JSONNumber(text string) bool { return json.Valid([]byte(text)) }

func appendScalar(dst []byte, n *yaml.Node, isNumber func(text string) bool) ([]byte, error) {
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return append(dst, "null"...), nil
	case "!!bool":
		value := strings.ToLower(n.Value)
		if value != "true" && value != "false" {
			return nil, fmt.Errorf("line %d: %q is not a JSON boolean: write true or false", n.Line, foreign.Shorten(n.Value, maxShown))
		}
		return append(dst, value...), nil
	case "!!int", "!!float":
		if !isNumber(n.Value) { // 0x1F, 0644, 1_000, .5, .inf and the like
			return nil, fmt.Errorf("line %d: %s is not a JSON number of 64 bits: write it as one, or put it into quotes if it is text", n.Line, foreign.Shorten(n.Value, maxShown))
		}
		return append(dst, n.Value...), nil
	case "!!str", "!!timestamp":
		if n.Style == 0 && slices.Contains([]string{"yes", "no", "on", "off"}, strings.ToLower(n.Value)) {
			return nil, fmt.Errorf("line %d: %s is text to some readers of YAML and a boolean to others: write true or false, or put it into quotes", n.Line, n.Value)
		}
		return rawjson.Quote(dst, n.Value), nil
	default:
		return nil, fmt.Errorf("line %d: a value has the type %s, which JSON does not have", n.Line, foreign.Shorten(tag, maxShown))
	}
}
