package rules

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// mapping returns the members of a mapping by name, after checking that it has these members.
func mapping(n *yaml.Node, r *report, what string, members []member) map[string]*yaml.Node {
	args := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		r.at(n, "%s is %s, not a mapping", what, plainyaml.KindOf(n))
		return args
	}
	var names []string
	for _, m := range members {
		names = append(names, m.name)
	}
	err := plainyaml.Members(n, func(key, v *yaml.Node) error {
		if !slices.Contains(names, key.Value) {
			if near := nearest(key.Value, names); near != "" {
				r.at(key, "%s has the unknown member %s: did you mean %s?", what, shown(key.Value), near)
			} else {
				r.at(key, "%s has the unknown member %s; it may have %s", what, shown(key.Value), strings.Join(names, ", "))
			}
			return nil
		}
		if v.Kind == yaml.AliasNode {
			r.at(v, "aliases are not read: write the value out")
			return nil
		}
		args[key.Value] = v
		return nil
	})
	if err != nil {
		r.at(n, "%v", err)
	}
	for _, m := range members {
		if m.required && args[m.name] == nil {
			r.at(n, "%s needs the member %s: %s", what, m.name, m.about)
		}
	}
	return args
}

// nearest returns the name that a misspelt one probably means; "" if none is near.
func nearest(name string, names []string) (best string) {
	if len(name) > 40 {
		return ""
	}
	least := min(len(name)/4, 2) + 2
	for _, one := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(one)); d < least {
			best, least = one, d
		}
	}
	return best
}

// items returns the items of a list.
func items(n *yaml.Node, r *report, what string) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.at(n, "%s is %s, not a list", what, plainyaml.KindOf(n))
		return nil
	}
	for _, item := range n.Content {
		if item.Kind == yaml.AliasNode {
			r.at(item, "aliases are not read: write the value out")
			return nil
		}
	}
	return n.Content
}

// textOf returns a text; a number counts as one, because a version may look like a number.
func textOf(n *yaml.Node, r *report, what string) string {
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode || !slices.Contains([]string{"!!str", "!!int", "!!float", "!!timestamp"}, n.ShortTag()):
		r.at(n, "%s is %s, not text", what, plainyaml.KindOf(n))
	case strings.ContainsRune(n.Value, 0):
		r.at(n, "%s has a NUL character", what)
	case n.Value == "":
		r.at(n, "%s is empty", what)
	}
	return n.Value
}
