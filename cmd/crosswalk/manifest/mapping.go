package manifest

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
