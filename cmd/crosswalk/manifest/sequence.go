package manifest

import (
	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
)

// align finds the items that stay, for lists of different lengths: those before and after the first
// and the last difference, and as many as possible in between. It returns how many items of the two
// lists are paired from the front, and how many from the back.
func align(old, want []*yaml.Node) (front, back int) {
	alike := func(a, b *yaml.Node) bool {
		name := yamlfile.Text(a, "name")
		return name != "" && name == yamlfile.Text(b, "name") || same(a, b)
	}
	most := min(len(old), len(want))
	if len(old) == len(want) {
		return most, 0
	}
	for front < most && alike(old[front], want[front]) {
		front++
	}
	for back < most-front && alike(old[len(old)-1-back], want[len(want)-1-back]) {
		back++
	}
	return most - back, back
}

// sequence edits a block sequence.
func (e *editor) sequence(old, want *yaml.Node, around func() error) error {
	front, back := align(old.Content, want.Content)
	dashes, err := e.dashes(old)
	if err != nil {
		return err
	}
	column := old.Column - 1
	item := func(o, w int) error {
		n, value := old.Content[o], want.Content[w]
		return e.value(n, value, column, func() error { return e.replaceItem(old, o, dashes[o], value) })
	}
	for i := range front {
		if err := item(i, i); err != nil {
			return err
		}
	}
	for i := range back {
		if err := item(len(old.Content)-back+i, len(want.Content)-back+i); err != nil {
			return err
		}
	}
	for i := front; i < len(old.Content)-back; i++ {
		e.keepWithin(old.Content[i])
		end, err := e.endOfItem(old, i, dashes[i])
		switch {
		case err != nil:
			return err
		case e.first(dashes[i]):
			e.changes.delete(e.headOf(dashes[i]), e.tailOf(end, column))
		case i+1 < len(dashes):
			e.changes.delete(dashes[i], dashes[i+1])
		default:
			return errExtent
		}
	}
	if added := want.Content[front : len(want.Content)-back]; len(added) > 0 {
		if front == 0 {
			return around()
		}
		end, err := e.endOfItem(old, front-1, dashes[front-1])
		if err != nil {
			return err
		}
		at := e.tailOf(end, column)
		e.changes.replace(at, at, func() (string, error) {
			lines, err := e.renderItems(added)
			return e.insertion(at, spaces(column)+join(lines, column)), err
		})
	}
	return nil
}

// replaceItem writes an item anew.
func (e *editor) replaceItem(list *yaml.Node, i, dash int, value *yaml.Node) error {
	end, err := e.endOfItem(list, i, dash)
	if err != nil {
		return err
	}
	e.keepWithin(list.Content[i])
	comment, to := e.comment(end)
	e.changes.replace(dash, max(end, to), func() (string, error) {
		lines, err := e.renderItems([]*yaml.Node{value})
		if err != nil {
			return "", err
		}
		if comment != "" {
			lines = append([]string{comment}, lines...)
		}
		return join(lines, list.Column-1), nil
	})
	return nil
}
