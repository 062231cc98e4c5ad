package host

import (
	"bytes"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// content is the result of a module for an object, after the contract was checked: the module's
// bytes, and the places that count.
type content struct {
	doc        []byte             // exactly one JSON object, as the module wrote it
	spliced    projection.Spliced // unless it is zero: doc, an earlier object, with the module's declared fields
	empty      bool               // it has no members
	apiVersion bool               // it has the member
	kind       bool               // likewise
	meta       rawjson.Span       // of the value of its member metadata; zero if it has none. Of the whole, if that is spliced
	restored   bool               // on some hop a module tried to change metadata that was put back
	annotated                     // after this conversion
}

// size is how many bytes the whole has.
func (c *content) size() int {
	if c.spliced.IsZero() {
		return len(c.doc)
	}
	return c.spliced.Size
}

// write writes the bytes between two offsets of the whole object.
func (c *content) write(w *writer, from, to int) {
	switch {
	case w.counting:
		w.n += to - from
	case c.spliced.IsZero():
		w.dst = append(w.dst, c.doc[from:to]...)
	default:
		w.dst = c.spliced.Append(w.dst, c.doc, from, to)
	}
}

// annotated is the part of the metadata that a conversion may change.
type annotated struct {
	set         bool   // a module set labels and annotations; else they are as in the request
	labels      []byte // the JSON object; nil: absent
	annotations []byte
}

// writer takes the pieces of a document: first, counting, only their length, then their bytes. So a
// buffer has the right size from the start, however many pieces there are.
type writer struct {
	counting bool
	n        int
	dst      []byte
}

func (w *writer) bytes(b []byte) {
	if w.counting {
		w.n += len(b)
		return
	}
	w.dst = append(w.dst, b...)
}

func (w *writer) string(s string) {
	if w.counting {
		w.n += len(s)
		return
	}
	w.dst = append(w.dst, s...)
}

// members writes the commas between the members of one object.
type members struct {
	w     *writer
	began bool
}

// next begins a member.
func (m *members) next() {
	if m.began {
		m.w.string(",")
	}
	m.began = true
}

// copyMembers writes members as they are, without the white space and the commas at both ends.
func (m *members) copyMembers(b []byte) {
	for len(b) > 0 && isBetween(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isBetween(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	if len(b) > 0 {
		m.next()
		m.w.bytes(b)
	}
}

// isBetween says whether the byte can stand before the first quote of a member or after its value.
func isBetween(c byte) bool { return c == ',' || c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// audience is for whom a document is written.
type audience uint8

const (
	forServer audience = iota // all metadata, as the API server sent it
	forGuest                  // without managedFields and resourceVersion; an object without metadata stays without
)

// guestView returns the object as the first module on a path sees it: its bytes in the body, unless
// members have to be left out, or a has other annotations.
func (o *object) guestView(body []byte, a annotated, buf *arena) []byte {
	if !a.set && o.meta.part(partManagedFields) == nil && o.meta.part(partResourceVersion) == nil {
		return o.span.Of(body)
	}
	return buf.write(func(w *writer) {
		w.bytes(body[o.span.Start:o.meta.span.Start])
		o.meta.write(w, body, a, forGuest)
		w.bytes(body[o.meta.span.End:o.span.End])
	})
}

// write writes the object with the content: the module's members, with the metadata of the request
// except for labels and annotations, and the members that the module omitted. apiVersion is a JSON
// string.
func (o *object) write(w *writer, body []byte, c *content, apiVersion []byte, to audience) {
	w.string("{")
	m := members{w: w}
	if !c.apiVersion {
		m.next()
		w.string(`"apiVersion":`)
		w.bytes(apiVersion)
	}
	if !c.kind {
		m.next()
		w.string(`"kind":`)
		w.bytes(o.kind.raw.Of(body))
	}
	size := c.size()
	if c.meta == (rawjson.Span{}) {
		if to != forGuest || o.meta.is == rawjson.Object || c.labels != nil || c.annotations != nil {
			m.next()
			w.string(`"metadata":`)
			o.meta.write(w, body, c.annotated, to)
		}
		if !c.empty {
			m.next()
		}
		c.write(w, 1, size)
		return
	}
	m.next()
	c.write(w, 1, c.meta.Start)
	o.meta.write(w, body, c.annotated, to)
	c.write(w, c.meta.End, size)
}

// write writes the metadata with other labels and annotations. Every other member keeps its bytes
// and its place.
func (m *metadata) write(w *writer, body []byte, a annotated, to audience) {
	if m.is != rawjson.Object {
		w.string("{")
		added := members{w: w}
		added.annotate(a, a.set, a.set)
		w.string("}")
		return
	}
	if m.unchanged(body, a, to) {
		w.bytes(m.span.Of(body))
		return
	}
	w.string("{")
	out := members{w: w}
	at := m.span.Start + 1
	newLabels, newAnnotations := a.set, a.set
	for i := range m.n {
		p := &m.parts[i]
		out.copyMembers(body[at:p.start])
		at = p.value.End
		value := p.value.Of(body)
		switch p.which {
		case partLabels:
			newLabels = false
			if a.set {
				value = a.labels
			}
		case partAnnotations:
			newAnnotations = false
			if a.set {
				value = a.annotations
			}
		default:
			if to == forGuest {
				value = nil
			}
		}
		if value != nil {
			out.next()
			w.bytes(body[p.start:p.value.Start])
			w.bytes(value)
		}
	}
	out.copyMembers(body[at : m.span.End-1])
	out.annotate(a, newLabels, newAnnotations)
	w.string("}")
}

// annotate writes labels and annotations that the request's metadata has no place for.
func (m *members) annotate(a annotated, labels, annotations bool) {
	if labels && a.labels != nil {
		m.next()
		m.w.string(`"labels":`)
		m.w.bytes(a.labels)
	}
	if annotations && a.annotations != nil {
		m.next()
		m.w.string(`"annotations":`)
		m.w.bytes(a.annotations)
	}
}

// unchanged says whether the metadata is written byte for byte as it is in the body.
func (m *metadata) unchanged(body []byte, a annotated, to audience) bool {
	if to == forGuest && (m.part(partManagedFields) != nil || m.part(partResourceVersion) != nil) {
		return false
	}
	return !a.set || bytes.Equal(a.labels, m.value(partLabels, body)) && bytes.Equal(a.annotations, m.value(partAnnotations, body))
}
