package generate

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// place is a value within an object.
type place struct {
	node   *node
	object map[string]any // with the member key, or
	key    string
	list   []any // with the element index, which is the member key of object up
	index  int
	up     *place // nil for the object itself
}

func (p *place) value() any {
	switch {
	case p.list != nil:
		return p.list[p.index]
	case p.up == nil:
		return p.object
	}
	return p.object[p.key]
}

func (p *place) set(value any) {
	switch {
	case p.list != nil:
		p.list[p.index] = value
	case p.up != nil:
		p.object[p.key] = value
	}
}

// optional reports whether the schema lets the value be absent.
func (p *place) optional() bool {
	return p.up != nil && (p.list != nil || !p.up.node.required(p.key))
}

func (p *place) remove() {
	if p.list == nil {
		delete(p.object, p.key)
		return
	}
	p.up.set(without(p.list, p.index))
}

// without returns a list without an element; never nil, which would be null.
func without(list []any, i int) []any {
	return append(append(make([]any, 0, len(list)), list[:i]...), list[i+1:]...)
}

// members returns the places of members or elements, without values that the schema does not
// describe and without the metadata of the object.
func (p *place) members() (all []*place) {
	switch v := p.value().(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if child := p.member(v, key); child != nil {
				all = append(all, child)
			}
		}
	case []any:
		for i := range v {
			if p.node.items != nil {
				all = append(all, &place{node: p.node.items, list: v, index: i, up: p})
			}
		}
	}
	return all
}

func (p *place) member(object map[string]any, key string) *place {
	n := p.node.byName[key]
	if n == nil {
		n = p.node.values
	}
	if n == nil || n.meta {
		return nil
	}
	return &place{node: n, object: object, key: key, up: p}
}

// places returns the values of an object that the schema describes.
func (s *source) places(object map[string]any) []*place {
	return s.placesBelow(&place{node: s.root, object: object})
}

func (s *source) placesBelow(at *place) (all []*place) {
	for _, p := range at.members() {
		all = append(append(all, p), s.placesBelow(p)...)
	}
	return all
}

// locate returns the value that a path in an API server's error names, or the innermost value
// around it that exists with the name of the next field.
func (s *source) locate(object map[string]any, path string) (at *place, missing string) {
	at = &place{node: s.root, object: object}
	for path != "" {
		var next *place
		rest := ""
		for _, p := range at.members() {
			name := p.key
			if p.list != nil {
				name = "[" + strconv.Itoa(p.index) + "]"
			}
			for _, spelt := range []string{name, "[" + name + "]"} {
				after, ok := strings.CutPrefix(path, spelt)
				if ok && (after == "" || after[0] == '.' || after[0] == '[') && (next == nil || len(after) < len(rest)) {
					next, rest = p, after
				}
			}
		}
		if next == nil {
			name := path
			if i := strings.IndexAny(path, ".["); i > 0 {
				name = path[:i]
			}
			return at, name
		}
		at, path = next, strings.TrimPrefix(rest, ".")
	}
	return at, ""
}
