package host

import (
	"bytes"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// object is one object of a request: the places of its parts in the request's body. Nothing is
// decoded. It never changes once read; the result of a conversion is a content.
type object struct {
	span       rawjson.Span // of the whole object, in the body
	is         rawjson.Kind // the kind of the entry; the fields below are set only for an Object
	members    int          // at the top level
	odd        bool         // one of them has a name that differs from apiVersion, kind or metadata only by case
	apiVersion stringMember
	kind       stringMember
	meta       metadata
	indexed    indexed
	known      knownRange // the containers after the metadata
}

// stringMember is a member that should be a string.
type stringMember struct {
	is    rawjson.Kind // Invalid: the member is absent
	raw   rawjson.Span // the JSON value
	value []byte       // the content of a String
}

// metadata is the metadata of an object in the body. parts has the places of the members that a
// conversion may change, or does not see; the bytes between them are all other members.
type metadata struct {
	is    rawjson.Kind // Invalid: the object has no metadata
	span  rawjson.Span // of the value, which is an Object
	keep  [identities]rawjson.Span
	parts [partKinds]part // the first n, in the order of the document
	n     int
}

// The fields that identify an object, in metadata.keep. A zero span there means that the field is
// absent.
const (
	identityName = iota
	identityNamespace
	identityUID
	identities
)

// part is one member of metadata that is written on its own.
type part struct {
	which partKind
	is    rawjson.Kind
	start int          // offset of the key's quote
	value rawjson.Span // of the value
}

type partKind uint8

const (
	partLabels partKind = iota
	partAnnotations
	partManagedFields
	partResourceVersion
	partKinds
)

// readObject reads the next value of the scanner, an object of the list in body, in place. The
// index x may keep the fields that the module declares, and known the containers.
func readObject(s *rawjson.Scanner, body []byte, o *object, x *projectionIndex, known *knownContainers) {
	*o = object{is: s.Peek()}
	if o.is != rawjson.Object {
		o.span = s.Skip()
		return
	}
	s.Object()
	o.span.Start = s.Offset() - 1
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		o.members++
		switch string(m.Key) {
		case "apiVersion":
			o.apiVersion = readStringMember(s)
			x.head(o.members, m.Start)
		case "kind":
			o.kind = readStringMember(s)
			x.head(o.members, m.Start)
		case "metadata":
			x.begin(s, body, o)
			if o.indexed.fields == nil {
				known.whole(s)
			}
			readMetadata(s, &o.meta, m, x)
			o.known.from = len(s.Recorded())
		default:
			x.begin(s, body, o)
			o.odd = o.odd || projection.Reserved(m.Key) != ""
			x.trace.Value(s, m.Key, m.Start)
		}
	}
	o.span.End = s.Offset()
	o.known.to = len(s.Recorded())
	x.end(o)
}

// readStringMember reads the next value, and keeps its content if it is a string.
func readStringMember(s *rawjson.Scanner) stringMember {
	t := stringMember{is: s.Peek()}
	if t.is != rawjson.String {
		t.raw = s.Skip()
		return t
	}
	t.raw, t.value = s.String()
	if t.raw.End-t.raw.Start-2 != len(t.value) { // it had escapes, and the scanner's buffer is used again
		t.value = bytes.Clone(t.value)
	}
	return t
}

func readMetadata(s *rawjson.Scanner, m *metadata, at rawjson.Member, x *projectionIndex) {
	m.is = s.Peek()
	if m.is != rawjson.Object {
		m.span = x.trace.Value(s, at.Key, at.Start)
		return
	}
	s.Object()
	m.span.Start = s.Offset() - 1
	x.trace.Enter(at.Start)
	for member, ok := s.Member(); ok; member, ok = s.Member() {
		switch string(member.Key) {
		case "name":
			m.keep[identityName] = x.trace.Value(s, member.Key, member.Start)
		case "namespace":
			m.keep[identityNamespace] = x.trace.Value(s, member.Key, member.Start)
		case "uid":
			m.keep[identityUID] = x.trace.Value(s, member.Key, member.Start)
		case "labels":
			m.add(s, partLabels, member, x)
		case "annotations":
			m.add(s, partAnnotations, member, x)
		case "managedFields":
			m.add(s, partManagedFields, member, x)
		case "resourceVersion":
			m.add(s, partResourceVersion, member, x)
		default:
			x.trace.Value(s, member.Key, member.Start)
		}
	}
	m.span.End = s.Offset()
	x.trace.Leave()
}

func (m *metadata) add(s *rawjson.Scanner, which partKind, at rawjson.Member, x *projectionIndex) {
	is := s.Peek()
	m.parts[m.n] = part{which: which, is: is, start: at.Start, value: x.trace.Value(s, at.Key, at.Start)}
	m.n++ // the scanner refuses a second member of one name, so there is room
}

// part returns the member, or nil if the metadata does not have it.
func (m *metadata) part(which partKind) *part {
	for i := range m.n {
		if m.parts[i].which == which {
			return &m.parts[i]
		}
	}
	return nil
}

// value returns the bytes of labels or annotations; nil if they are absent or null.
func (m *metadata) value(which partKind, body []byte) []byte {
	if p := m.part(which); p != nil && p.is != rawjson.Null {
		return p.value.Of(body)
	}
	return nil
}

// seenMetadata returns the metadata in the view of the object that guestView returned; nil if the
// object has none.
func (o *object) seenMetadata(view []byte) []byte {
	if o.meta.is != rawjson.Object {
		return nil
	}
	return view[o.meta.span.Start-o.span.Start : len(view)-(o.span.End-o.meta.span.End)]
}

// bare reports whether the object has only an apiVersion and a kind.
func (o *object) bare() bool {
	return o.members == 2 && o.apiVersion.is == rawjson.String && o.kind.is == rawjson.String
}

// splitAPIVersion splits "group/version". Kinds with conversion webhooks always have a group.
func splitAPIVersion(s []byte) (group, version []byte, ok bool) {
	group, version, ok = bytes.Cut(s, []byte("/"))
	return group, version, ok && len(group) > 0 && len(version) > 0 && !bytes.Contains(version, []byte("/"))
}
