package manifest

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// mapping edits a block mapping.
func (e *editor) mapping(old, want *yaml.Node, around func() error) error {
	list, err := members(e.source, old)
	if err != nil {
		return err
	}
	from := pair(list, want)
	if none := !slices.ContainsFunc(from, func(o int) bool { return o >= 0 }); none && !e.first(list[0].start) {
		return around()
	}
	column := old.Content[0].Column - 1
	for o := range list {
		if list[o].to < 0 {
			e.deleteMember(list, o, column)
			continue
		}
		err := e.member(&list[o], want, column, func(m *member, key, value *yaml.Node) error { return e.replaceMember(m, key, value, column) })
		if err != nil {
			return err
		}
	}
	e.insertMembers(list, from, want, column)
	return nil
}

// member edits the value and the name of a member that stays. anew writes it with its name.
func (e *editor) member(m *member, want *yaml.Node, parent int, anew func(m *member, key, value *yaml.Node) error) error {
	key, value := want.Content[2*m.to], want.Content[2*m.to+1]
	err := e.value(m.value, value, parent, func() error { return anew(m, key, value) })
	if err != nil || key.Value == m.key.Value || e.changes.replaced(m.start) {
		return err
	}
	end, err := e.endOfScalar(m.key, m.start, 0)
	quoted := *key
	quoted.Style = m.key.Style
	e.changes.replace(m.start, end, func() (string, error) { return encode(&quoted) })
	return err
}

// deleteMember deletes a member with its comments. If a dash stands before it, the next member that
// stays takes its place.
func (e *editor) deleteMember(list []member, o, column int) {
	e.keep(list[o])
	stays := slices.IndexFunc(list, func(m member) bool { return m.to >= 0 })
	switch {
	case e.first(list[0].start) || o > stays:
		e.changes.delete(e.headOf(list[o].start), e.tailOf(list[o].end, column))
	case o == 0:
		e.changes.delete(list[0].start, e.headOf(list[stays].start)+column)
	}
}

// replaceMember writes a member anew, with the comment at the end of its line.
func (e *editor) replaceMember(m *member, key, value *yaml.Node, column int) error {
	e.keepWithin(m.value)
	comment, to := e.comment(m.end)
	e.changes.replace(m.start, max(m.end, to), func() (string, error) {
		lines, err := e.render(key, value)
		if err != nil {
			return "", err
		}
		if comment != "" {
			lines[0] += " " + comment
		}
		return join(lines, column), nil
	})
	return nil
}

// insertMembers inserts the wanted members that the mapping does not have: each after the one that
// stands before it in the wanted order, and the last ones in the place of the first that goes.
func (e *editor) insertMembers(list []member, from []int, want *yaml.Node, column int) {
	after, last := -1, -1
	for w, o := range from {
		if o >= 0 {
			last = w
		}
	}
	gone := slices.IndexFunc(list, func(m member) bool { return m.to < 0 && e.first(m.start) })
	for w, o := range from {
		if o >= 0 {
			after = o
			continue
		}
		at := e.tailOf(list[len(list)-1].end, column)
		switch {
		case gone >= 0 && (w > last || after < 0):
			at = e.headOf(list[gone].start)
		case after >= 0:
			at = e.tailOf(list[after].end, column)
		}
		key, value := want.Content[2*w], want.Content[2*w+1]
		e.changes.replace(at, at, func() (string, error) {
			lines, err := e.render(key, value)
			return e.insertion(at, spaces(column)+join(lines, column)), err
		})
		for i := range e.removed {
			r := &e.removed[i]
			isOfList := slices.ContainsFunc(list, func(m member) bool { return m.key == r.key })
			if isOfList && r.heir < 0 && contains(r.value, value) {
				r.heir, r.column = len(e.changes.all)-1, column
			}
		}
	}
}

// contains reports whether a text contains a value or one within it, or is a part of it.
func contains(text, value *yaml.Node) bool {
	const least = 2
	if text.Kind == yaml.ScalarNode && value.Kind == yaml.ScalarNode {
		return len(value.Value) >= least && strings.Contains(text.Value, value.Value) || len(text.Value) >= least && strings.Contains(value.Value, text.Value)
	}
	return slices.ContainsFunc(value.Content, func(child *yaml.Node) bool { return contains(text, child) })
}

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
