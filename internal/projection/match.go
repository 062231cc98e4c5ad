package projection

import "github.com/crosswalk-gateway/crosswalk/internal/rawjson"

// matcher finds the answer's member for each member of an object, in order. Answers mostly have the
// members in the order of the object.
type matcher struct {
	s      *splicer
	parent int32 // in the answer, or none
	cursor int32 // where the next one is expected
	keys   map[string]int32
}

// find returns the answer's part for a member, and marks it as used; none if the answer does not
// have the member.
func (m *matcher) find(p *Part) int32 {
	if m.parent == none {
		return none
	}
	end := m.s.new[m.parent].next
	if m.cursor < end && m.same(p, m.cursor) {
		return m.take(m.cursor)
	}
	if !p.field.shared {
		for c := m.parent + 1; c < end; c = m.s.new[c].next {
			if m.s.new[c].field == p.field {
				return m.take(c)
			}
		}
		return none
	}
	if m.keys == nil {
		m.keys = map[string]int32{}
		for c := m.parent + 1; c < end; c = m.s.new[c].next {
			m.keys[keyOf(m.s.answer, &m.s.new[c])] = c
		}
	}
	if c, ok := m.keys[keyOf(m.s.doc, p)]; ok {
		return m.take(c)
	}
	return none
}

func (m *matcher) take(c int32) int32 {
	m.s.new[c].used = true
	m.cursor = m.s.new[c].next
	return c
}

func (m *matcher) same(p *Part, c int32) bool {
	q := &m.s.new[c]
	return q.field == p.field && (!p.field.shared || keyOf(m.s.doc, p) == keyOf(m.s.answer, q))
}

// keyOf returns the key of a part, unescaped.
func keyOf(doc []byte, p *Part) string {
	end, escaped := rawjson.EndOfString(doc, int(p.key))
	if escaped {
		return string(rawjson.Unescape(nil, doc[p.key:end]))
	}
	return string(doc[p.key+1 : end-1])
}
