package projection

import "github.com/crosswalk-gateway/crosswalk/internal/rawjson"

// isEmptyOf reports whether the answer repeats the view of a value that cannot have the declared
// parts.
func (s *splicer) isEmptyOf(q, p *Part) bool {
	empty, value := emptyOf(s.doc[p.start]), s.answer[q.start:q.end]
	switch empty[0] {
	case '{', '[': // with white space in it, perhaps
		return value[0] == empty[0] && value[rawjson.Space(value, 1)] == empty[1]
	}
	return string(value) == empty
}

// emptied reports whether a value is empty once all its declared parts are removed.
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

// isNothing reports that a part of the answer adds nothing: labels that are null, and null in place
// of an object or an array.
func (s *splicer) isNothing(p *Part) bool {
	switch p.field.role {
	case isLabels, isAnnotations:
		return s.answer[p.start] == 'n'
	}
	return p.shape == null
}
