package syntax

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/nearest"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// Mapping returns the members of a mapping by name, after checking that it has these members.
func Mapping(n *yaml.Node, r *Mistakes, what string, members []vocabulary.Member) map[string]*yaml.Node {
	args := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		r.At(n, "%s is %s, not a mapping", what, plainyaml.KindOf(n))
		return args
	}
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	err := plainyaml.Members(n, func(key, v *yaml.Node) error {
		if !slices.Contains(names, key.Value) {
			if near := nearest.To(key.Value, names); near != "" {
				r.At(key, "%s has the unknown member %s: did you mean %s?", what, Quote(key.Value), near)
			} else {
				r.At(key, "%s has the unknown member %s; it may have %s", what, Quote(key.Value), strings.Join(names, ", "))
			}
			return nil
		}
		if v.Kind == yaml.AliasNode {
			r.At(v, "aliases are not read: write the value out")
			return nil
		}
		args[key.Value] = v
		return nil
	})
	if err != nil {
		r.At(n, "%v", err)
	}
	for _, m := range members {
		if m.Required && args[m.Name] == nil {
			r.At(n, "%s needs the member %s: %s", what, m.Name, m.About)
		}
	}
	return args
}

// Items returns the items of a list.
func Items(n *yaml.Node, r *Mistakes, what string) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.At(n, "%s is %s, not a list", what, plainyaml.KindOf(n))
		return nil
	}
	for _, item := range n.Content {
		if item.Kind == yaml.AliasNode {
			r.At(item, "aliases are not read: write the value out")
			return nil
		}
	}
	return n.Content
}

// Text returns a text; a number counts as one, because a version may look like a number.
func Text(n *yaml.Node, r *Mistakes, what string) string {
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode || !slices.Contains([]string{"!!str", "!!int", "!!float", "!!timestamp"}, n.ShortTag()):
		r.At(n, "%s is %s, not text", what, plainyaml.KindOf(n))
	case strings.ContainsRune(n.Value, 0):
		r.At(n, "%s has a NUL character", what)
	case n.Value == "":
		r.At(n, "%s is empty", what)
	}
	return n.Value
}

// NodeText names a node in a message: a scalar by its text.
func NodeText(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return Quote(n.Value)
	}
	return plainyaml.KindOf(n)
}
