package manifest

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

// part says why an object is not one that a person applies as it is; "" if it is.
func part(o *yaml.Node) string {
	name := yamlfile.Text(o, "metadata", "name") + yamlfile.Text(o, "metadata", "generateName")
	switch {
	case strings.Contains(name+yamlfile.Text(o, "metadata", "namespace"), "{{"):
		return "a template"
	case name == "":
		return "without a name, as in a patch"
	case hasDirective(o):
		return "a patch"
	}
	return ""
}

// hasPlaceholder reports whether a node has a value such as {{ .Values.name }}, which is, read as YAML,
// a mapping with a mapping as its key.
func hasPlaceholder(n *yaml.Node) bool {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Kind == yaml.MappingNode || hasPlaceholder(child) {
			return true
		}
	}
	return false
}

// hasDirective reports whether a node has a directive of strategic merge patches.
func hasDirective(n *yaml.Node) bool {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && (child.Value == "$patch" || strings.HasPrefix(child.Value, "$setElementOrder/") || strings.HasPrefix(child.Value, "$deleteFromPrimitiveList/")) {
			return true
		}
		if hasDirective(child) {
			return true
		}
	}
	return false
}

// isEncrypted reports whether sops wrote a document. Its checksum covers all values, so sops refuses the
// document after any change.
func isEncrypted(root *yaml.Node) bool {
	for i := 0; root.Kind == yaml.MappingNode && i < len(root.Content); i += 2 {
		if root.Content[i].Value == "sops" {
			return true
		}
	}
	return false
}

// loses returns a text with a variable that is in an object and not in the converted one, in quotes,
// and one that is in both; "" if there is none. A converter takes ${NAME} of Flux for a text of its own:
// it may split it, and does not translate its value.
func loses(o *yaml.Node, converted json.RawMessage) (lost, kept string, err error) {
	before := map[string]int{}
	variables(o, before, 1)
	if len(before) == 0 {
		return "", "", nil
	}
	after, err := output.Node(converted)
	if err != nil {
		return "", "", err
	}
	variables(after, before, -1)
	for text, n := range before {
		text, first := strconv.Quote(text), &kept
		if n > 0 {
			first = &lost
		}
		if *first == "" || text < *first {
			*first = text
		}
	}
	return lost, kept, nil
}

// IsPlaceholder reports whether another program puts a value in the place of a text.
func IsPlaceholder(text string) bool { return placeholder.MatchString(text) }

// placeholder matches the variables of Flux, Helm, Kubernetes and Argo CD's Vault plugin.
var placeholder = regexp.MustCompile(`\$\{|\$\(|\{\{|<path:`)

// variables counts the texts in which another program puts a value later.
func variables(n *yaml.Node, count map[string]int, by int) {
	if n.Kind == yaml.ScalarNode && IsPlaceholder(n.Value) {
		count[n.Value] += by
	}
	for _, child := range n.Content {
		variables(child, count, by)
	}
}
