package host

import (
	"bytes"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// maxParts bounds the places in a batch that match declared fields and are not indexed yet. A part
// takes 40 bytes and as much again in an output, so a batch takes 10 MB at most. A part needs at
// least two bytes of an object (an element and a comma), so objects up to 256 KiB never reach the
// bound, and objects of a megabyte that people wrote have a twentieth of it.
const (
	maxParts     = 128 << 10
	bytesPerPart = 2
)

// projector makes the inputs of a module that declares fields, and remembers where in the objects
// they come from.
type projector struct {
	objects []projected
	parts   []projection.Part  // of the objects without an index
	spare   []projection.Piece // for one object while it is spliced
	pieces  []projection.Piece // the block in which pieces are kept
}

// projected is an object whose declared fields a module sees.
type projected struct {
	whole    []byte            // the object
	parts    []projection.Part // nil: they are in the projector's
	from, to int               // there
	version  rawjson.Span      // of apiVersion's value, in the input
}

// fits makes room for the parts of an object. It returns false if the batch has more than maxParts.
func (p *projector) fits(fields *projection.Fields, whole []byte) bool {
	if len(p.parts)+len(whole)/bytesPerPart <= maxParts {
		return true // counting is not worth it
	}
	n := fields.Count(whole)
	if len(p.parts)+n > maxParts {
		return false
	}
	p.parts = slices.Grow(p.parts, n)
	return true
}

// project returns the module's input for an object. parts are the declared parts that were indexed
// when the object was read; nil if it was not indexed.
func (p *projector) project(fields *projection.Fields, whole []byte, parts []projection.Part, buf *arena) (input []byte) {
	s := projected{whole: whole, parts: parts, from: len(p.parts)}
	if parts == nil {
		p.parts = fields.Read(p.parts, whole)
		parts = p.parts[s.from:]
	}
	s.to = len(p.parts)
	input = buf.build(len(whole)+len("null")*len(parts), func(dst []byte) []byte {
		dst, s.version = projection.View(dst, whole, parts)
		return dst
	})
	p.objects = append(p.objects, s)
	return input
}

// projected returns the j-th object, with its parts.
func (p *projector) projected(j int) *projected {
	s := &p.objects[j]
	if s.parts == nil {
		s.parts = p.parts[s.from:s.to]
	}
	return s
}

// minPieces is the size of the smallest block of pieces, 8 KB. maxPieces is the size of the largest
// block and of the room, unless one object has more.
const (
	minPieces = 1024
	maxPieces = 64 * minPieces
)

// room returns an empty slice with room for n pieces, or for maxPieces if that is less: the rest is
// allocated elsewhere. It is valid until the next call of room.
func (p *projector) room(n int) []projection.Piece {
	if n = min(n, maxPieces); cap(p.spare) < n {
		p.spare = make([]projection.Piece, 0, n)
	}
	return p.spare[:0]
}

// keepPieces keeps the pieces that were put into the room until recycle.
func (p *projector) keepPieces(out *projection.Spliced) {
	if n := len(out.Used().Pieces); cap(p.pieces)-len(p.pieces) < n {
		p.pieces = make([]projection.Piece, 0, max(n, min(2*cap(p.pieces), maxPieces), minPieces))
	}
	p.pieces = out.Keep(p.pieces)
}

// reset drops the objects of a batch and all references to them.
func (p *projector) reset() {
	clear(p.objects)
	p.objects, p.parts = p.objects[:0], p.parts[:0]
}

// recycle drops all references.
func (p *projector) recycle() {
	p.objects, p.parts = empty(p.objects), empty(p.parts)
	if cap(p.pieces) > maxPieces {
		p.pieces = nil
	}
	p.pieces = p.pieces[:0]
}

// projectionIndex records, while the body is read, where in each object the fields are that the
// first module on its path declares. This saves a second pass over the objects. The module must be
// known before the fields are read: API servers write desiredAPIVersion before the objects, and
// apiVersion and kind first in each object. Objects in another order, or with too many of the
// fields, are not indexed; projector.project reads them again.
type projectionIndex struct {
	trace  projection.Tracer
	parts  []projection.Part // of all objects
	routes *Routes
	want   *stringMember // the review's desiredAPIVersion
	most   int           // parts
	starts [2]int        // offsets of the keys of apiVersion and kind

	// The fields for the last object, and the apiVersion and kind they were chosen by: the next
	// object usually has the same.
	apiVersion, kind []byte
	fields           *projection.Fields // nil: its module does not declare fields
}

// indexed is the entry of an object in a projectionIndex.
type indexed struct {
	fields   *projection.Fields // the fields that the parts belong to; nil: the object is not indexed
	from, to int                // in projectionIndex.parts
}

// head records the offset of the key apiVersion or kind if it comes before all others.
func (x *projectionIndex) head(members, start int) {
	if members <= len(x.starts) {
		x.starts[members-1] = start
	}
}

// The index has one part for every 32 bytes of a body at most, so it takes 1.25 times the body's
// size at most. Objects that people wrote have ten times as many bytes for each declared field. A
// body of any size may have minParts.
const (
	bytesPerIndexedPart = 32
	minParts            = 1024
)

// begin is called before a member that is neither apiVersion nor kind.
func (x *projectionIndex) begin(s *rawjson.Scanner, body []byte, o *object) {
	if o.members != len(x.starts)+1 || x.routes == nil || o.apiVersion.is != rawjson.String || o.kind.is != rawjson.String {
		return
	}
	fields := x.find(o)
	if fields == nil || len(x.parts) >= x.most {
		return
	}
	o.indexed = indexed{fields: fields, from: len(x.parts)}
	x.trace.Begin(fields, x.parts, x.most, s, body, o.span.Start)
	first, second := &o.apiVersion, &o.kind
	firstKey, secondKey := "apiVersion", "kind"
	if first.raw.Start > second.raw.Start {
		first, second = second, first
		firstKey, secondKey = secondKey, firstKey
	}
	x.trace.Passed([]byte(firstKey), x.starts[0], first.raw)
	x.trace.Passed([]byte(secondKey), x.starts[1], second.raw)
}

// find returns the fields that the first module on the path of an object declares; nil if it
// declares none.
func (x *projectionIndex) find(o *object) *projection.Fields {
	if bytes.Equal(o.apiVersion.value, x.apiVersion) && bytes.Equal(o.kind.value, x.kind) {
		return x.fields
	}
	x.apiVersion, x.kind, x.fields = o.apiVersion.value, o.kind.value, nil
	_, from, _ := splitAPIVersion(o.apiVersion.value)
	group, to, ok := splitAPIVersion(x.want.value)
	if !ok {
		return nil
	}
	if p := x.routes.find(string(group), string(o.kind.value)).chainBetween(string(from), string(to)); p != nil {
		x.fields = p.hops[0].fields
	}
	return x.fields
}

// end is called after the last member of the object.
func (x *projectionIndex) end(o *object) {
	if x.trace.Notes() {
		x.parts = x.trace.End()
		if o.indexed.to = len(x.parts); o.indexed.to == o.indexed.from { // there were too many
			o.indexed = indexed{}
		}
	}
}

// of returns the indexed parts of an object if they belong to the fields of a hop, each of which has
// its own; nil if the object must be read again.
func (x *projectionIndex) of(o *object, fields *projection.Fields) []projection.Part {
	if o.indexed.fields != fields {
		return nil
	}
	return x.parts[o.indexed.from:o.indexed.to]
}

// recycle drops all references.
func (x *projectionIndex) recycle() {
	const keep = 32 << 10 // parts, 1.3 MB: ten for each of three thousand objects
	parts := x.parts
	if cap(parts) > keep {
		parts = nil
	}
	clear(parts)
	*x = projectionIndex{parts: parts[:0]}
}
