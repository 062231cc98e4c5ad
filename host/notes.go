package host

import (
	"bytes"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// notes are taken of the objects of a review while its body is read: where in them the fields are that the first module on their way
// declares. For that it must be known early which one it is: API servers write what is wanted before the objects, and apiVersion and kind
// of an object before all else. Of objects that come otherwise, or have too many of the fields, no notes are taken, and they are looked at
// again (projector.view).
type notes struct {
	trace  projection.Tracer
	parts  []projection.Part // of all objects
	routes *Routes
	want   *text   // the review's desiredAPIVersion
	most   int     // parts, at which there are enough of them
	by     *reader // whose notes these are; nil: the review's
	starts [2]int  // where the keys of apiVersion and kind are

	// Of the last object there were fields for, and mostly of the next: what they were chosen by.
	apiVersion, kind []byte
	fields           *projection.Fields // nil: its module declares none
}

// noted is what notes have of an object.
type noted struct {
	fields   *projection.Fields // those that the parts are of; nil: there are no notes
	by       *reader            // who has the notes; nil: the review
	from, to int                // in notes.parts
}

// head keeps where the key of a member is, apiVersion or kind, if it comes before all others.
func (n *notes) head(members, start int) {
	if members <= len(n.starts) {
		n.starts[members-1] = start
	}
}

// bytesOfAPart is for how many bytes of a body one part is noted at most: so notes have no more than 1¼ of its bytes, whatever it says. Objects
// of the API machinery's users have ten times as many for each field that a module declares. leastParts are noted of any body.
const (
	bytesOfAPart = 32
	leastParts   = 1024
)

// begin is called before a member that is neither apiVersion nor kind.
func (n *notes) begin(s *rawjson.Scanner, body []byte, o *object) {
	if o.members != len(n.starts)+1 || n.routes == nil || o.apiVersion.is != rawjson.String || o.kind.is != rawjson.String {
		return
	}
	fields := n.find(o)
	if fields == nil || len(n.parts) >= n.most {
		return
	}
	o.noted = noted{fields: fields, by: n.by, from: len(n.parts)}
	n.trace.Begin(fields, n.parts, n.most, s, body, o.span.Start)
	first, second := &o.apiVersion, &o.kind
	firstKey, secondKey := "apiVersion", "kind"
	if first.raw.Start > second.raw.Start {
		first, second = second, first
		firstKey, secondKey = secondKey, firstKey
	}
	n.trace.Passed([]byte(firstKey), n.starts[0], first.raw)
	n.trace.Passed([]byte(secondKey), n.starts[1], second.raw)
}

// find returns the fields that the first module declares on the way of an object; nil if there are none.
func (n *notes) find(o *object) *projection.Fields {
	if bytes.Equal(o.apiVersion.text, n.apiVersion) && bytes.Equal(o.kind.text, n.kind) {
		return n.fields
	}
	n.apiVersion, n.kind, n.fields = o.apiVersion.text, o.kind.text, nil
	_, from, _ := splitAPIVersion(o.apiVersion.text)
	group, to, ok := splitAPIVersion(n.want.text)
	if !ok {
		return nil
	}
	if p := n.routes.find(string(group), string(o.kind.text)).path(string(from), string(to)); p != nil {
		n.fields = p.hops[0].fields
	}
	return n.fields
}

// end is called when the object has been read.
func (n *notes) end(o *object) {
	if n.trace.Notes() {
		n.parts = n.trace.End()
		if o.noted.to = len(n.parts); o.noted.to == o.noted.from { // there were too many
			o.noted = noted{}
		}
	}
}

// of returns the noted parts of an object, if they are those of the fields.
func (n *notes) of(o *object, fields *projection.Fields) []projection.Part {
	if o.noted.fields != fields {
		return nil
	}
	if by := o.noted.by; by != nil {
		return by.notes.parts[o.noted.from:o.noted.to]
	}
	return n.parts[o.noted.from:o.noted.to]
}

// release lets go of everything.
func (n *notes) release() {
	const keep = 32 << 10 // parts, 1.3 MB: ten for each of three thousand objects
	parts := n.parts
	if cap(parts) > keep {
		parts = nil
	}
	clear(parts)
	*n = notes{parts: parts[:0]}
}
