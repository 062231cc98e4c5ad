package host

import (
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// accountBytes is how far into a body Account looks: API servers write the first object's apiVersion
// and kind within the first few hundred bytes, unless a field of the object sorts before them.
const accountBytes = 16 << 10

// Account returns the kind of a review's first object as <Kind>.<group>, for limits by kind, without
// reading the rest of the body. It is "" for a kind that no module converts, so that made-up kinds
// are one account, and for a body that does not show its kind early.
func (c *Converter) Account(body []byte) string {
	s, done := c.scanner(body[:min(len(body), accountBytes)])
	defer done()
	apiVersion, kind := firstObject(s)
	group, _, ok := splitAPIVersion(apiVersion)
	if !ok {
		return ""
	}
	routes, release := c.modules.Pin()
	defer release()
	if k := routes.find(string(group), string(kind)); k != nil {
		return k.name
	}
	return ""
}

// namespaceBytes is how far into a body Namespace looks: annotations and managedFields sort before the
// namespace, and API servers take some 1.5 MB of them.
const namespaceBytes = 2 << 20

// Namespace returns the namespace of a review's first object, for limits by namespace within a kind.
// It is "" for objects without one, and for a body that does not show it within 2 MiB.
func (c *Converter) Namespace(body []byte) string {
	s, done := c.scanner(body[:min(len(body), namespaceBytes)])
	defer done()
	if !enterFirst(s) || !enterMember(s, "metadata", rawjson.Object) || s.Peek() != rawjson.Object {
		return ""
	}
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		if string(m.Key) == "namespace" {
			return string(foreign.Cut(readStringMember(s).value, maxWord))
		}
	}
	return ""
}

// scanner returns a scanner of a body, and a function that gives it back.
func (c *Converter) scanner(body []byte) (s *rawjson.Scanner, done func()) {
	s, _ = c.scanners.Get().(*rawjson.Scanner)
	if s == nil {
		s = new(rawjson.Scanner)
	}
	s.Reset(body, c.limits.Depth+envelopeDepth)
	return s, func() {
		s.Reset(nil, 0)
		c.scanners.Put(s)
	}
}

// enterFirst goes to the first object of a review, and reports whether there is one.
func enterFirst(s *rawjson.Scanner) bool {
	return enterMember(s, "request", rawjson.Object) && enterMember(s, "objects", rawjson.Array) && s.Element() && s.Peek() == rawjson.Object
}

// firstObject returns apiVersion and kind of the first object of a review, as far as the scanner
// finds them. They are parts of the scanner's document.
func firstObject(s *rawjson.Scanner) (apiVersion, kind []byte) {
	if !enterFirst(s) {
		return nil, nil
	}
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		switch string(m.Key) {
		case "apiVersion":
			apiVersion = readStringMember(s).value
		case "kind":
			kind = readStringMember(s).value
		}
		if len(apiVersion) > 0 && len(kind) > 0 {
			return apiVersion, kind
		}
	}
	return nil, nil
}

// enterMember goes to the value of a member of the next object, into it if it is an array, and
// reports whether it is what it should be.
func enterMember(s *rawjson.Scanner, name string, want rawjson.Kind) bool {
	if s.Peek() != rawjson.Object {
		return false
	}
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		if string(m.Key) == name {
			return s.Peek() == want && (want == rawjson.Object || s.Array()) // an object is entered by its reader
		}
	}
	return false
}
