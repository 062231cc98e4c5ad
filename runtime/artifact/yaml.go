package artifact

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

const (
	// MaxSidecar is the most bytes of a sidecar: as much as a ConfigMap holds.
	MaxSidecar = 1 << 20
	// maxQuoted is the most bytes of a text from a sidecar in a message.
	maxQuoted = 80
	// maxSidecarNodes and maxSidecarDepth bound a sidecar's YAML: a node for every four bytes of
	// the largest sidecar, and more levels than the objects of its cases may have.
	maxSidecarNodes = MaxSidecar / 4
	maxSidecarDepth = 10_100
)

// parseYAML returns the one document of a sidecar.
func parseYAML(content []byte) (*yaml.Node, error) {
	root, err := plainyaml.Parse(content, plainyaml.Limits{Bytes: MaxSidecar, Nodes: maxSidecarNodes, Depth: maxSidecarDepth})
	switch {
	case errors.Is(err, plainyaml.ErrEmpty):
		return nil, errors.New("is empty: delete it, or see docs/author/sidecar.md for what it may say")
	case errors.Is(err, plainyaml.ErrMany):
		return nil, errors.New("has more than one YAML document; one belongs in a sidecar")
	case err != nil:
		return nil, fmt.Errorf("is not YAML: %w", err)
	}
	return root, nil
}

// eachMember calls f for every member of the mapping at a path. allowed names the allowed members;
// nil allows all.
func eachMember(path string, n *yaml.Node, allowed []string, f func(key string, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		want := "a mapping"
		if len(allowed) > 0 {
			want += " with " + strings.Join(allowed, ", ")
		}
		return wrongType(path, n, want)
	}
	return plainyaml.Members(n, func(key, value *yaml.Node) error {
		if allowed != nil && !slices.Contains(allowed, key.Value) {
			return fmt.Errorf("line %d: %s has the unknown member %q; it may have %s", key.Line, orSidecar(path), key.Value, strings.Join(allowed, ", "))
		}
		return f(key.Value, value)
	})
}

// textAt returns the text at a path. It accepts a number as text, because a digest or a version may
// look like one.
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
	return fmt.Errorf("line %d: %s is %s, not %s", n.Line, orSidecar(path), plainyaml.KindOf(n), want)
}

func orSidecar(path string) string {
	if path == "" {
		return "the sidecar"
	}
	return path
}

// appendJSON appends a node as JSON, with the numbers that objects may have: an int64 or a finite
// float64.
func appendJSON(dst []byte, n *yaml.Node) ([]byte, error) {
	return plainyaml.AppendJSON(dst, n, func(text string) bool {
		var s rawjson.Scanner
		s.Reset([]byte(text), 0)
		return s.Peek() == rawjson.Number && s.Skip() == (rawjson.Span{End: len(text)}) && s.End()
	})
}
