package host

import (
	"bytes"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

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
