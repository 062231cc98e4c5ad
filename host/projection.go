package host

import (
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
