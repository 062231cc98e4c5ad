package projection

import "github.com/crosswalk-gateway/crosswalk/internal/rawjson"

// Splice puts an answer into an object: it replaces the fields that the answer changes, removes the
// fields that it omits, and appends the fields that it adds to the end of their object. The rest
// stays as it is, byte for byte, including all metadata except labels and annotations. apiVersion,
// a JSON string, replaces the object's.
//
// parts are the object's parts, from Read or a Tracer; answered are the answer's, from Check.
// Splice marks them. It appends the result to room, and does not allocate if that is large enough.
// broken is as in Check: a change that the answer would make to undeclared fields.
func (f *Fields) Splice(room Room, doc []byte, parts []Part, answer []byte, answered []Part, apiVersion []byte) (spliced Spliced, broken Breach) {
	s := splicer{doc: doc, old: parts, answer: answer, new: answered, apiVersion: apiVersion, out: room.spliced()}
	s.object(0, 0)
	s.flush(parts[0].end)
	return s.out, s.broken
}

// Stamp is Splice for an answer that changes only the apiVersion. The result keeps the slice.
func Stamp(room Room, doc []byte, parts []Part, apiVersion []byte) (spliced Spliced) {
	s := splicer{doc: doc, old: parts, out: room.spliced()}
	for c := int32(1); c < parts[0].next; c = parts[c].next {
		switch p := &parts[c]; p.field.role {
		case isAPIVersion:
			s.flush(p.start)
			s.out.added = apiVersion
			s.wrote(0)
			s.at = p.end
		case isMetadata:
			s.note(p.field, rawjson.Span{Start: s.offset(p.start), End: s.offset(p.end)})
		}
	}
	s.flush(parts[0].end)
	return s.out
}

// splicer goes through the object from front to back. The bytes between at and the next change
// become one piece at that change.
type splicer struct {
	doc        []byte
	old        []Part
	answer     []byte
	new        []Part
	apiVersion []byte

	at     int32 // how far doc is in pieces, or left out
	out    Spliced
	broken Breach
}

// none is the index of an absent part.
const none = -1

// flush takes over doc up to a position.
func (s *splicer) flush(to int32) {
	if to > s.at {
		s.out.pieces = append(s.out.pieces, Piece{s.at, to})
		s.out.Size += int(to - s.at)
		s.at = to
	}
}

// write adds bytes that are not in doc.
func (s *splicer) write(b []byte) {
	from := len(s.out.added)
	s.out.added = append(s.out.added, b...)
	s.wrote(from)
}

// wrote makes a piece of the bytes that were added from an offset on.
func (s *splicer) wrote(from int) {
	to := len(s.out.added)
	s.out.Size += to - from
	if n := len(s.out.pieces) - 1; n >= 0 && s.out.pieces[n].start < 0 && s.out.pieces[n].end == int32(from) {
		s.out.pieces[n].end = int32(to)
		return
	}
	s.out.pieces = append(s.out.pieces, Piece{^int32(from), int32(to)})
}

// offset returns the position in the result of pos in doc, after which nothing has been copied yet.
func (s *splicer) offset(pos int32) int { return s.out.Size + int(pos-s.at) }

// object goes through an object of the document. n is the answer's part in its place, or none.
func (s *splicer) object(o, n int32) {
	old := &s.old[o]
	role := old.field.role
	match := matcher{s: s, parent: n}
	if n != none {
		match.cursor = n + 1
	}
	front := int32(rawjson.Space(s.doc, int(old.start)+1)) // the next key, while every member before it is removed
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

// add writes a member of the answer that the document does not have.
func (s *splicer) add(n int32, comma bool) {
	if comma {
		s.write([]byte{','})
	}
	p := &s.new[n]
	s.write(s.answer[p.key:p.start])
	s.render(n)
}

// render writes the declared parts of a value of the answer.
func (s *splicer) render(n int32) {
	p := &s.new[n]
	for c := n; c < p.next; c++ {
		if s.new[c].shape == other && s.broken == "" {
			s.wrong(&s.new[c])
			return
		}
	}
	start := s.out.Size
	if p.field.role == isMetadata {
		s.write([]byte{'{'})
		some := false
		for c := n + 1; c < p.next; c = s.new[c].next {
			if child := &s.new[c]; child.field.role != isOtherMetadata && !s.isNothing(child) {
				s.add(c, some)
				some = true
			}
		}
		s.write([]byte{'}'})
		s.out.Set = true
	} else {
		v := viewer{doc: s.answer, parts: s.new}
		from := len(s.out.added)
		s.out.added = v.value(s.out.added, n)
		s.wrote(from)
	}
	s.note(p.field, rawjson.Span{Start: start, End: s.out.Size})
}

// note keeps the place of metadata in the result.
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
	s.write(value)
	s.at = s.old[o].end
}

// value goes through a value of the document. It returns false if nothing remains of it.
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
		s.broken = Breachf("has %s, which in the object is %v, so that nothing of it is declared", placeOf(s.answer, q), s.kind(o))
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
		s.broken = Breachf("has %s that is %v, where the object has %v with more in it than is declared", placeOf(s.answer, q), kindAt(s.answer, q.start), s.kind(o))
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
