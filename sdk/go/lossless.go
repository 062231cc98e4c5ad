package crosswalk

import "strconv"

// Lossless returns a converter that calls convert and keeps the fields that the target version
// lacks: it converts the result back with back, from the text that an API server sends for it, and
// stashes (docs/spec/stash.md) every difference from the original object. It begins with [Object.Restore]. The converter of the other direction must
// be lossless, too, or begin with Restore:
//
//	crosswalk.Register("example.com/v1", "example.com/v1beta1", crosswalk.Lossless(toBeta, toV1))
//	crosswalk.Register("example.com/v1beta1", "example.com/v1", crosswalk.Lossless(toV1, toBeta))
//
// It costs a conversion back and a comparison for every object, and the stashed values are dropped
// if a client changes more than metadata and status in the target version. [Value.StashFor] is
// faster and can keep more; do not use both. If back refuses the result, Lossless stashes nothing:
// the target version could not be written back anyway.
func Lossless(convert, back Converter) Converter {
	return func(o *Object) error {
		before := o.doc.text
		o.Restore()
		if err := convert(o); err != nil {
			return err
		}
		s := o.doc.kept
		if s == nil || o.doc.err != nil {
			return nil
		}
		s.put(o)
		o.SetString(Path{"apiVersion"}, s.to)
		text, err := o.AppendJSON(nil)
		if err != nil {
			return err
		}
		sent := Parse(text)
		again := Parse(sent.doc.appendServed(nil, 0))
		if err := back(again); err != nil || again.doc.err != nil {
			Logf(LevelWarn, "%s cannot be converted back to %s, so nothing was kept for it", o.title(), bareVersion(s.from))
			return nil
		}
		was := Parse(before)
		for key, member := range was.Members() {
			if pointer := string(appendToken(nil, key)); restorable(pointer) {
				s.keepDifference(pointer, &was.doc, member.n, &again.doc, again.doc.step(0, key))
			}
		}
		s.keepInvented(&was.doc, 0, &again.doc, 0, "")
		return nil
	}
}

// keepDifference stashes the value at a if it differs from the value at b; b is -1 if there is no
// such value.
func (s *stash) keepDifference(pointer string, was *document, a int32, again *document, b int32) {
	if b < 0 || again.kind(b) == 'n' {
		if was.kind(a) != 'n' {
			s.keep(guard(pointer, nil, false), pointer, was.raw(a))
		}
		return
	}
	if string(was.raw(a)) == string(again.raw(b)) {
		return
	}
	switch kind := was.kind(a); {
	case kind == '{' && again.kind(b) == '{':
		for c := was.after(a, 0); c != 0; c = was.after(a, c) {
			key := was.keyOf(c)
			s.keepDifference(string(appendToken([]byte(pointer), key)), was, c, again, again.step(b, key))
		}
		s.keepInvented(was, a, again, b, pointer)
	case kind == '[' && again.kind(b) == '[' && was.count(a) == again.count(b):
		other := again.after(b, 0)
		for c, i := was.after(a, 0), int64(0); c != 0; c, i = was.after(a, c), i+1 {
			s.keepDifference(pointer+"/"+strconv.FormatInt(i, 10), was, c, again, other)
			other = again.after(b, other)
		}
	case was.hash(a) != again.hash(b):
		s.keep(guard(pointer, nil, false), pointer, was.raw(a))
	}
}

// keepInvented records the members of the object b that a does not have.
func (s *stash) keepInvented(was *document, a int32, again *document, b int32, pointer string) {
	for c := again.after(b, 0); c != 0; c = again.after(b, c) {
		key := again.keyOf(c)
		if again.kind(c) == 'n' || was.step(a, key) >= 0 {
			continue
		}
		if at := string(appendToken([]byte(pointer), key)); restorable(at) {
			s.keepGone(guard(at, nil, false), at)
		}
	}
}

// count returns the number of elements of the array n.
func (d *document) count(n int32) (count int) {
	for c := d.after(n, 0); c != 0; c = d.after(n, c) {
		count++
	}
	return count
}
