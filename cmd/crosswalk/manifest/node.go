package manifest

import (
	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

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

// The marks and the line ends that the parser of YAML does not count as this package does.
var (
	mark        = []byte("\ufeff")
	windowsLine = []byte("\r\n")
)
