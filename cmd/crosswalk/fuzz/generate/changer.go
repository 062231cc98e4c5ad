package generate

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxRepairs is how often one object is changed because it is invalid.
const maxRepairs = 24

// changer changes objects.
type changer struct{ *maker }

// some makes small changes at random places.
func (m changer) some(places []*place, count int) {
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

func (m changer) changeList(p *place, list []any) {
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

func (m changer) changeObject(p *place, object map[string]any) {
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

// renew makes a value anew.
func (m changer) renew(p *place) {
	m.budget = max(m.budget, 20)
	m.on = m.goal != nil && m.way[p.node]
	if value, ok := m.value(p.node, m.rulesAt(p)); ok {
		p.set(value)
	}
}

// rulesAt returns the rules for a value, without those of branches around it.
func (m changer) rulesAt(p *place) *rules {
	r := &rules{}
	m.collect(r, p.node, p.node.s.ValueValidation)
	return r
}

// repair changes an object until an API server accepts it, and keeps each change that does not make
// it worse. It returns nil and a reason if it does not succeed.
func (m changer) repair(ctx context.Context, object map[string]any) (map[string]any, string) {
	v := m.version
	errs := v.ValidateSchema(ctx, object)
	for range maxRepairs {
		if len(errs) == 0 || ctx.Err() != nil {
			break
		}
		other := deepCopy(object).(map[string]any)
		m.fix(other, errs[m.rand.IntN(len(errs))])
		v.Store(other)
		if now := v.ValidateSchema(ctx, other); len(now) <= len(errs) || m.rand.IntN(8) == 0 {
			object, errs = other, now
		}
	}
	if len(errs) > 0 {
		return nil, errs[0].Error()
	}
	return object, ""
}

// fix changes an object where an error points to.
func (m changer) fix(object map[string]any, e *field.Error) {
	at, rest := m.locate(object, e.Field)
	if rest != "" { // something is missing there
		if f := at.node.byName[rest]; f != nil {
			if into, ok := at.value().(map[string]any); ok {
				m.on = m.way[at.node]
				m.field(into, m.rulesAt(at), f)
				return
			}
		}
	}
	below := m.placesBelow(at)
	switch k := m.rand.IntN(4); {
	case k == 0 && at.optional():
		at.remove()
	case k == 1 && at.node.up != nil, len(below) == 0 && at.node.up != nil:
		m.renew(at)
	default:
		m.some(append(below, at), 1)
	}
}
