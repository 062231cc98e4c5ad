package projection

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Spliced is an object with an answer in it.
type Spliced struct {
	Doc []byte // what was appended: the whole object

	// Where in Doc the metadata is, and what of it the answer set; zero where there is none. Set says that the answer has metadata;
	// otherwise the object's stays as it is.
	Metadata, Labels, Annotations rawjson.Span
	Set                           bool
}

// Splice appends an object with its declared parts as the answer has them: what the answer changes is replaced, what it leaves out is
// removed, what it adds comes last in its object. Everything else stays as it is, byte for byte, all metadata but labels and annotations
// included. apiVersion, a JSON string, takes the place of the object's.
//
// parts are the object's, from Read, and answered the answer's, from Check; Splice marks them. broken is as Check has it: what the
// answer would do to what is not declared.
func (f *Fields) Splice(dst, doc []byte, parts []Part, answer []byte, answered []Part, apiVersion []byte) (spliced Spliced, broken string) {
	s := splicer{doc: doc, old: parts, answer: answer, new: answered, dst: dst, base: len(dst), apiVersion: apiVersion}
	s.object(0, 0)
	s.flush(parts[0].end)
	s.out.Doc = s.dst[s.base:]
	return s.out, s.broken
}

// Stamp appends an object with nothing changed but its apiVersion.
func Stamp(dst, doc []byte, parts []Part, apiVersion []byte) (spliced Spliced) {
	base := len(dst)
	s := splicer{doc: doc, old: parts, dst: dst, base: base}
	for c := int32(1); c < parts[0].next; c = parts[c].next {
		switch p := &parts[c]; p.field.role {
		case isAPIVersion:
			s.replace(c, apiVersion)
		case isMetadata:
			s.note(p.field, rawjson.Span{Start: s.offset(p.start), End: s.offset(p.end)})
		}
	}
	s.flush(parts[0].end)
	s.out.Doc = s.dst[base:]
	return s.out
}

// splicer copies the object from front to back. What lies between at and the next change is copied in one piece when the change comes.
type splicer struct {
	doc        []byte
	old        []Part
	answer     []byte
	new        []Part
	apiVersion []byte

	dst    []byte
	base   int   // where in dst the object begins
	at     int32 // how far doc has been copied, or left out
	out    Spliced
	broken string
}

// none is the index of a part that is not there.
const none = -1

func (s *splicer) flush(to int32) {
	if to > s.at {
		s.dst = append(s.dst, s.doc[s.at:to]...)
		s.at = to
	}
}

// offset returns where in Doc the position of doc is or will be, from which on nothing has been copied yet.
func (s *splicer) offset(pos int32) int { return len(s.dst) - s.base + int(pos-s.at) }

// object goes through an object of the document. n is what the answer has in its place, none if nothing.
func (s *splicer) object(o, n int32) {
	old := &s.old[o]
	role := old.field.role
	match := matcher{s: s, parent: n}
	if n != none {
		match.cursor = n + 1
	}
	front := int32(rawjson.Space(s.doc, int(old.start)+1)) // the next key, as long as all before it are gone
	left := old.count
	for c := o + 1; c < old.next && s.broken == ""; c = s.old[c].next {
		p := &s.old[c]
		if role == isMetadata && p.field.role == isOtherMetadata {
			match.find(p)
			continue
		}
		if s.member(c, match.find(p)) {
			continue
		}
		left--
		next := int32(rawjson.Space(s.doc, int(p.end)))
		switch {
		case p.key == front && s.doc[next] == ',':
			s.flush(p.key)
			front = int32(rawjson.Space(s.doc, int(next)+1))
			s.at = front
		case p.key == front:
			s.flush(p.key)
			s.at = p.end
		default:
			comma := p.key - 1
			for s.doc[comma] != ',' {
				comma--
			}
			s.flush(comma)
			s.at = p.end
		}
	}
	if n == none || s.broken != "" {
		return
	}
	for c := n + 1; c < s.new[n].next; c = s.new[c].next {
		p := &s.new[c]
		switch {
		case p.used, p.field.role == isOtherMetadata, p.field.role == isAPIVersion && o == 0, s.isNothing(p):
			continue
		}
		s.flush(old.last)
		s.add(c, left > 0)
		left++
	}
}

// isNothing says that the answer adds nothing by a part: labels that are null, and null where an object or an array is meant.
func (s *splicer) isNothing(p *Part) bool {
	switch p.field.role {
	case isLabels, isAnnotations:
		return s.answer[p.start] == 'n'
	}
	return p.shape == null
}

// add writes a member of the answer that the document does not have.
func (s *splicer) add(n int32, comma bool) {
	if comma {
		s.dst = append(s.dst, ',')
	}
	p := &s.new[n]
	s.dst = append(s.dst, s.answer[p.key:p.start]...)
	s.render(n)
}

// render writes a value of the answer: what is declared of it.
func (s *splicer) render(n int32) {
	p := &s.new[n]
	for c := n; c < p.next; c++ {
		if s.new[c].shape == other && s.broken == "" {
			s.wrong(&s.new[c])
			return
		}
	}
	start := len(s.dst) - s.base
	if p.field.role == isMetadata {
		s.dst = append(s.dst, '{')
		some := false
		for c := n + 1; c < p.next; c = s.new[c].next {
			if child := &s.new[c]; child.field.role != isOtherMetadata && !s.isNothing(child) {
				s.add(c, some)
				some = true
			}
		}
		s.dst = append(s.dst, '}')
		s.out.Set = true
	} else {
		v := viewer{doc: s.answer, parts: s.new}
		s.dst = v.value(s.dst, n)
	}
	s.note(p.field, rawjson.Span{Start: start, End: len(s.dst) - s.base})
}

// note keeps where metadata came to be.
func (s *splicer) note(f *field, span rawjson.Span) {
	switch f.role {
	case isMetadata:
		s.out.Metadata = span
	case isLabels:
		s.out.Labels = span
	case isAnnotations:
		s.out.Annotations = span
	}
}

// member goes through a member of the document. It returns false if the member is to be removed.
func (s *splicer) member(o, n int32) (keep bool) {
	p := &s.old[o]
	start := s.offset(p.start)
	switch p.field.role {
	case isAPIVersion:
		s.replace(o, s.apiVersion)
		return true
	case isKind:
		return true
	case isMetadata:
		if n == none {
			s.note(p.field, rawjson.Span{Start: start, End: s.offset(p.end)})
			return true
		}
		s.out.Set = true
	case isLabels, isAnnotations:
		if n != none && s.answer[s.new[n].start] == 'n' && s.doc[p.start] != 'n' {
			n = none
		}
	}
	if keep = s.value(o, n); keep && s.broken == "" {
		s.note(p.field, rawjson.Span{Start: start, End: s.offset(p.end)})
	}
	return keep
}

// replace writes something else instead of a value of the document.
func (s *splicer) replace(o int32, value []byte) {
	s.flush(s.old[o].start)
	s.dst = append(s.dst, value...)
	s.at = s.old[o].end
}

// value goes through a value of the document. It returns false if nothing of it is left.
func (s *splicer) value(o, n int32) (keep bool) {
	p := &s.old[o]
	absent := n == none || s.new[n].shape == null
	if absent && s.emptied(o) {
		return n != none && p.shape == null // null stays null
	}
	if n == none {
		switch {
		case p.shape == object:
			s.object(o, none)
		case p.shape == array:
			s.count(o, 0)
		}
		return true
	}
	q := &s.new[n]
	switch {
	case p.shape == whole:
		if now := s.answer[q.start:q.end]; string(now) != string(s.doc[p.start:p.end]) {
			s.replace(o, now)
		}
	case p.shape == other && (absent || s.isEmptyOf(q, p)):
	case p.shape == other:
		s.broken = fmt.Sprintf("has %s, which in the object is %v, so that nothing of it is declared", placeOf(s.answer, q), s.kind(o))
	case q.shape == other:
		s.wrong(q)
	case q.shape == null && p.shape == object:
		s.object(o, none)
	case p.shape == object && q.shape == object:
		s.object(o, n)
	case p.shape == array && q.shape == array && p.count == q.count:
		for c, d := o+1, n+1; c < p.next && s.broken == ""; c, d = s.old[c].next, s.new[d].next {
			s.element(c, d)
		}
	case p.shape == null || s.emptied(o):
		s.flush(p.start)
		s.render(n)
		s.at = p.end
	case p.shape == array && q.shape == array:
		s.count(o, q.count)
	case q.shape == null:
		s.count(o, 0)
	default:
		s.broken = fmt.Sprintf("has %s that is %v, where the object has %v with more in it than is declared", placeOf(s.answer, q), kindAt(s.answer, q.start), s.kind(o))
	}
	return true
}

// element goes through an element of the document's, which cannot be removed.
func (s *splicer) element(o, n int32) {
	if !s.value(o, n) {
		s.flush(s.old[o].start)
		s.render(n)
		s.at = s.old[o].end
	}
}

// isEmptyOf says whether the answer has what was shown in the place of a value that cannot have the declared parts.
func (s *splicer) isEmptyOf(q, p *Part) bool {
	empty, value := emptyOf(s.doc[p.start]), s.answer[q.start:q.end]
	switch empty[0] {
	case '{', '[': // with white space in it, perhaps
		return value[0] == empty[0] && value[rawjson.Space(value, 1)] == empty[1]
	}
	return string(value) == empty
}

// wrong reports that an answer has something where it cannot have the declared parts.
func (s *splicer) wrong(q *Part) {
	want := "an object"
	if !q.field.hasMembers() {
		want = "an array"
	}
	s.broken = fmt.Sprintf("has %s that is %v, not %s: the module declares only parts of it", placeOf(s.answer, q), kindAt(s.answer, q.start), want)
}

// count reports that an answer has another number of elements than the document.
func (s *splicer) count(o, have int32) {
	p := &s.old[o]
	s.broken = fmt.Sprintf("has %d elements in %s, where the object has %d: only parts of them are declared, so that none can be added or removed",
		have, placeOf(s.doc, p), p.count)
}

// emptied says whether nothing is left of a value when all that is declared of it is removed.
func (s *splicer) emptied(o int32) bool {
	p := &s.old[o]
	switch p.shape {
	case other, unseen:
		return false
	case array:
		return p.count == 0
	case object:
		children := int32(0)
		for c := o + 1; c < p.next; c = s.old[c].next {
			if children++; !s.emptied(c) {
				return false
			}
		}
		return children == p.count
	}
	return true
}

func (s *splicer) kind(o int32) rawjson.Kind { return kindAt(s.doc, s.old[o].start) }

func kindAt(doc []byte, i int32) rawjson.Kind {
	var s rawjson.Scanner
	s.Reset(doc[i:], 0)
	return s.Peek()
}

// matcher finds for the members of an object, one after the other, what an answer has in their place. Answers mostly have the members
// in the order of the object.
type matcher struct {
	s      *splicer
	parent int32 // in the answer; none: there is nothing
	cursor int32 // where the next one is expected
	keys   map[string]int32
}

// find returns the answer's part for a member, which it marks as used; none if there is none.
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
