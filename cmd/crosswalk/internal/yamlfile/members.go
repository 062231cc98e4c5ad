package yamlfile

import "go.yaml.in/yaml/v3"

// Text returns the text at a path of member names; "" if there is no such member, or if it is not
// text.
func Text(n *yaml.Node, path ...string) string {
	for _, name := range path {
		n = Member(n, name)
	}
	if n == nil || n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		return ""
	}
	return n.Value
}

// Member returns a member of a mapping; nil if there is none, or if n is not a mapping, or nil.
func Member(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}
