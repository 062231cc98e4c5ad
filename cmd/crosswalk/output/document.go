package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// indent returns JSON on several lines. Numbers and the order of members stay.
func indent(text []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// AppendJSON appends a JSON document on several lines.
func AppendJSON(dst, document []byte) ([]byte, error) {
	text, err := indent(document)
	return append(dst, text...), err
}

// AppendYAML appends a JSON document as YAML. Numbers keep their text and members their order, and
// text that some reader of YAML takes for another type is quoted.
func AppendYAML(dst, document []byte) ([]byte, error) {
	root, err := Node(document)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	e.CompactSeqIndent()
	if err := e.Encode(root); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return append(dst, b.Bytes()...), nil
}

// Node returns a JSON document as a node of YAML; see AppendYAML.
func Node(document []byte) (*yaml.Node, error) {
	var s rawjson.Scanner
	s.Reset(document, 0)
	root, err := nodeOf(&s, document)
	if err == nil && !s.End() {
		err = s.Err()
	}
	return root, err
}

// nodeOf reads one value as a node of YAML.
func nodeOf(s *rawjson.Scanner, doc []byte) (*yaml.Node, error) {
	switch kind := s.Peek(); kind {
	case rawjson.Object:
		n := &yaml.Node{Kind: yaml.MappingNode}
		s.Object()
		for m, ok := s.Member(); ok; m, ok = s.Member() {
			key := textNode(string(m.Key))
			value, err := nodeOf(s, doc)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, key, value)
		}
		if len(n.Content) == 0 {
			n.Style = yaml.FlowStyle
		}
		return n, s.Err()
	case rawjson.Array:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		s.Array()
		for s.Element() {
			value, err := nodeOf(s, doc)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, value)
		}
		if len(n.Content) == 0 {
			n.Style = yaml.FlowStyle
		}
		return n, s.Err()
	case rawjson.String:
		var text string
		if err := json.Unmarshal(s.Skip().Of(doc), &text); err != nil {
			return nil, fmt.Errorf("a text is not valid JSON: %w", err)
		}
		return textNode(text), s.Err()
	default:
		text := string(s.Skip().Of(doc))
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strings.TrimSpace(text)}, s.Err()
	}
}

// plainText matches text that all readers of YAML take for text, if it is not a word of reserved.
var plainText = regexp.MustCompile(`^[A-Za-z/_.][A-Za-z0-9/_.+-]*( [A-Za-z0-9/_.+-]+)*$`)

var reserved = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", ".inf", ".nan"}

func textNode(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yaml.DoubleQuotedStyle}
	switch {
	case plainText.MatchString(text) && !slices.Contains(reserved, strings.ToLower(text)) && !numberLike.MatchString(text):
		n.Style = 0
	case strings.Contains(text, "\n") && printable(text):
		n.Style = yaml.LiteralStyle
	}
	return n
}

// numberLike matches plainText that some reader takes for a number, such as .5 and .1e3.
var numberLike = regexp.MustCompile(`^[._]*[0-9]`)

// printable reports whether a literal block can hold a text: ordinary lines without leading or
// trailing white space.
func printable(text string) bool {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" || strings.TrimSpace(line) != line {
			return false
		}
		for _, r := range line {
			if r < ' ' || r > '~' {
				return false
			}
		}
	}
	return true
}
