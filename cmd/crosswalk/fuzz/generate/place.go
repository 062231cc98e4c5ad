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
func (g *Generator) places(object map[string]any) []*place {
	return g.placesBelow(&place{node: g.root, object: object})
}

func (g *Generator) placesBelow(at *place) (all []*place) {
	for _, p := range at.members() {
		all = append(append(all, p), g.placesBelow(p)...)
	}
	return all
}

// locate returns the value that a path in an API server's error names, or the innermost value
// around it that exists with the name of the next field.
func (g *Generator) locate(object map[string]any, path string) (at *place, missing string) {
	at = &place{node: g.root, object: object}
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

// rulesAt returns the rules for a value, without those of branches around it.
func (m *maker) rulesAt(p *place) *rules {
	r := &rules{}
	m.collect(r, p.node, p.node.s.ValueValidation)
	return r
}

// renew makes a value anew.
func (m *maker) renew(p *place) {
	m.budget = max(m.budget, 20)
	m.on = m.goal != nil && m.way[p.node]
	if value, ok := m.value(p.node, m.rulesAt(p)); ok {
		p.set(value)
	}
}

// change makes small changes at random places.
func (m *maker) change(places []*place, count int) {
	for range count {
		if len(places) == 0 {
			return
		}
		p := places[m.rand.IntN(len(places))]
		switch v := p.value().(type) {
		case []any:
			m.changeList(p, v)
		case map[string]any:
			m.changeObject(p, v)
		default:
			if p.optional() && p.up.node.values != nil && m.rand.IntN(4) == 0 || m.rand.IntN(8) == 0 && p.optional() && p.list == nil {
				p.remove()
				return // other places may be within the removed value
			}
			m.renew(p)
		}
		if count > 1 {
			return
		}
	}
}

func (m *maker) changeList(p *place, list []any) {
	switch k := m.rand.IntN(6); {
	case k == 0 && len(list) > 0:
		i := m.rand.IntN(len(list))
		p.set(without(list, i))
	case k == 1 && len(list) > 1:
		other := slices.Clone(list)
		slices.Reverse(other)
		p.set(other)
	case k == 2 && p.optional():
		p.remove()
	case k <= 4 && p.node.items != nil:
		m.budget, m.on = max(m.budget, 20), false
		if value, ok := m.value(p.node.items, m.below(m.rulesAt(p), p.node.items, itemsOf)); ok {
			p.set(append(slices.Clip(list), value))
		}
	default:
		m.renew(p)
	}
}

func (m *maker) changeObject(p *place, object map[string]any) {
	m.budget = max(m.budget, 20)
	if m.rand.IntN(8) == 0 && p.optional() {
		p.remove()
		return
	}
	if n := len(p.node.fields); n > 0 && m.rand.IntN(8) > 0 {
		f := p.node.fields[m.rand.IntN(n)]
		if _, there := object[f.name]; there && !p.node.required(f.name) && m.rand.IntN(2) == 0 {
			delete(object, f.name)
		} else if !f.meta {
			m.on = m.way[p.node]
			m.field(object, m.rulesAt(p), f)
		}
		return
	}
	m.renew(p)
}
