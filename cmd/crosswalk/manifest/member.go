package manifest

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// member is a member of a mapping in the text.
type member struct {
	key, value *yaml.Node
	start, end int
	to         int // the index of the wanted member with its value; -1 if it goes
}

// members returns the members of a mapping.
func members(s *source, n *yaml.Node) (list []member, err error) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		m := member{key: n.Content[i], value: n.Content[i+1], to: -1}
		m.start = s.start(m.key)
		if m.end, err = s.endOfMember(m.key, m.value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// pair finds the wanted member of each member: the one with its name, or else one with another name
// and its value, or the only one that is left.
func pair(list []member, want *yaml.Node) (from []int) {
	from = make([]int, len(want.Content)/2)
	for w := range from {
		from[w] = slices.IndexFunc(list, func(m member) bool { return m.key.Value == want.Content[2*w].Value })
		if from[w] >= 0 {
			list[from[w]].to = w
		}
	}
	rename := func(may func(old, new *yaml.Node) bool) {
		for w := range from {
			for o := range list {
				if from[w] < 0 && list[o].to < 0 && may(list[o].value, want.Content[2*w+1]) {
					from[w], list[o].to = o, w
				}
			}
		}
	}
	rename(same)
	left := func(list []int) (n int) {
		for _, to := range list {
			if to < 0 {
				n++
			}
		}
		return n
	}
	old := make([]int, len(list))
	for o := range list {
		old[o] = list[o].to
	}
	if left(from) == 1 && left(old) == 1 {
		rename(func(old, new *yaml.Node) bool { return old.Kind == new.Kind })
	}
	return from
}

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
