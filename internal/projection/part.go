package projection

import (
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Part is one declared value of a document, or an object or array that contains declared values.
// The parts of a document are a tree in the order of the document: the first is the document
// itself, and the parts inside a part follow it.
type Part struct {
	field      *field
	key        int32 // offset of the key's quote; -1 if the part is not a member
	start, end int32 // of the value
	last       int32 // of an object: where its last member ends, or where it begins if it has no members
	count      int32 // how many members or elements are there, undeclared ones included
	next       int32 // index of the first part after this one and the parts inside it
	shape      shape
	used       bool // an answer's: it has its place in the object
}

// shape is the form of a part.
type shape uint8

const (
	whole  shape = iota // declared with all that is in it
	object              // parts of it are declared
	array               // parts of its elements are declared
	null                // null where an object or an array could be: absent, to most converters
	other               // something else, that cannot have the declared parts: it is shown as an empty value of its type
	unseen              // it is not declared; the part is here because its place matters
)

// shapeOf returns the shape of a value that begins with the byte.
func (f *field) shapeOf(first byte) shape {
	switch {
	case f.whole:
		return whole
	case f.isNothing():
		return unseen
	case first == '{' && f.hasMembers():
		return object
	case first == '[' && f.elements != nil:
		return array
	case first == 'n':
		return null
	}
	return other
}

// emptyOf returns the empty value of the type that begins with the byte.
func emptyOf(first byte) string {
	switch first {
	case '{':
		return "{}"
	case '[':
		return "[]"
	case '"':
		return `""`
	case 't', 'f':
		return "false"
	}
	return "0"
}

// Read appends the declared parts of an object, which a rawjson.Scanner has passed. It does not
// allocate if dst has room.
func (f *Fields) Read(parts []Part, doc []byte) []Part {
	r := reader{doc: doc, parts: parts, base: len(parts)}
	r.value(f.root, -1, rawjson.Space(doc, 0))
	return r.parts
}

// Count returns how many parts Read would append. It takes as long, and keeps nothing.
func (f *Fields) Count(doc []byte) int {
	r := reader{doc: doc, counting: true}
	r.value(f.root, -1, rawjson.Space(doc, 0))
	return r.n
}

type reader struct {
	doc      []byte
	parts    []Part
	base     int // index of the document
	text     []byte
	counting bool
	n        int // parts counted
}

// value reads the value at pos and returns the position after it.
func (r *reader) value(f *field, key, pos int) (end int) {
	if pos >= len(r.doc) {
		return len(r.doc)
	}
	at := len(r.parts)
	p := Part{field: f, key: int32(key), start: int32(pos), shape: f.shapeOf(r.doc[pos])}
	if r.n++; !r.counting {
		r.parts = append(r.parts, p)
	}
	last, count := 0, 0
	switch p.shape {
	case object:
		last, count, end = r.object(f, pos)
	case array:
		count, end = r.array(f, pos)
	default:
		end = rawjson.EndOfValue(r.doc, pos)
	}
	if !r.counting {
		q := &r.parts[at]
		q.last, q.count, q.end, q.next = int32(last), int32(count), int32(end), int32(len(r.parts)-r.base)
	}
	return end
}

func (r *reader) object(f *field, pos int) (last, count, end int) {
	doc := r.doc
	last = pos + 1
	i := rawjson.Space(doc, pos+1)
	for i < len(doc) && doc[i] != '}' {
		if doc[i] == ',' {
			i = rawjson.Space(doc, i+1)
		}
		key := i
		var name []byte
		name, i = r.member(key)
		if child := f.find(name); child != nil {
			i = r.value(child, key, i)
		} else {
			i = rawjson.EndOfValue(doc, i)
		}
		last = i
		count++
		i = rawjson.Space(doc, i)
	}
	return last, count, min(i+1, len(doc))
}

// member returns the name of the member whose key is at the offset, and where its value begins.
func (r *reader) member(key int) (name []byte, start int) {
	end, escaped := rawjson.EndOfString(r.doc, key)
	name = r.doc[min(key+1, len(r.doc)):max(end-1, min(key+1, len(r.doc)))]
	if escaped {
		r.text = rawjson.Unescape(r.text[:0], r.doc[key:end])
		name = r.text
	}
	return name, rawjson.Space(r.doc, rawjson.Space(r.doc, end)+1) // over the colon
}

func (r *reader) array(f *field, pos int) (count, end int) {
	doc := r.doc
	i := rawjson.Space(doc, pos+1)
	for i < len(doc) && doc[i] != ']' {
		if doc[i] == ',' {
			i = rawjson.Space(doc, i+1)
		}
		i = rawjson.Space(doc, r.value(f.elements, -1, i))
		count++
	}
	return count, min(i+1, len(doc))
}

// View appends the object that a module sees: the declared parts, in their order. version is the
// place of the value of apiVersion in it.
func View(dst, doc []byte, parts []Part) (view []byte, version rawjson.Span) {
	start := len(dst)
	v := viewer{doc, parts, rawjson.Span{}}
	dst = v.value(dst, 0)
	if v.version.End > 0 {
		version = rawjson.Span{Start: v.version.Start - start, End: v.version.End - start}
	}
	return dst, version
}

type viewer struct {
	doc     []byte
	parts   []Part
	version rawjson.Span // in dst
}

// value appends a part as a value.
func (v *viewer) value(dst []byte, i int32) []byte {
	p := &v.parts[i]
	switch p.shape {
	case whole:
		return append(dst, v.doc[p.start:p.end]...)
	case null:
		return append(dst, "null"...)
	case other:
		return append(dst, emptyOf(v.doc[p.start])...)
	}
	closing := byte('}')
	if p.shape == array {
		closing = ']'
	}
	dst = append(dst, closing-2) // '{' and '[' are two before
	some := false
	for c := i + 1; c < p.next; c = v.parts[c].next {
		child := &v.parts[c]
		if child.shape == unseen {
			continue
		}
		if some {
			dst = append(dst, ',')
		}
		some = true
		if child.key >= 0 {
			dst = append(dst, v.doc[child.key:child.start]...)
		}
		at := len(dst)
		dst = v.value(dst, c)
		if child.field.role == isAPIVersion {
			v.version = rawjson.Span{Start: at, End: len(dst)}
		}
	}
	return append(dst, closing)
}
