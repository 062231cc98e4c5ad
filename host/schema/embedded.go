package schema

import (
	"bytes"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// meta names the members of a resource that need not be in its schema.
type meta uint8

const (
	notMeta        meta = 0
	metaAPIVersion meta = 1 << iota
	metaKind
	metaMetadata
)

func metaOf(key []byte) meta {
	switch string(key) {
	case "apiVersion":
		return metaAPIVersion
	case "kind":
		return metaKind
	case "metadata":
		return metaMetadata
	}
	return notMeta
}

// meta checks an embedded resource's metadata at a structural node; member describes keys and at.
func (c *checker) meta(n *node, f *field, which meta, keys, at int) {
	if n.root {
		if which != metaMetadata {
			c.member(n, f, keys, at)
		}
		return
	}
	c.path = append(c.path, step{toField, at})
	defer func() { c.path = c.path[:len(c.path)-1] }()
	is := c.scanner.Peek()
	place := c.scanner.Skip()
	place.Start, place.End = c.base+place.Start, c.base+place.End
	if c.scanner.Err() != nil {
		return
	}
	if which != metaMetadata && is == rawjson.String {
		c.spend(workOfFormat * (place.End - place.Start))
	}
	if !c.over() {
		c.spare.Reset(place.Of(c.doc), 0)
		if rule := which.broken(is, &c.spare); rule != "" {
			c.violate(rule)
		}
	}
	if f != nil && f.node != nil {
		c.kept++ // the API server keeps unknown fields here, regardless of the schema
		c.visit(f.node, place, false)
		c.kept--
	}
}

// broken returns the API server's rule that a member of an embedded resource breaks; empty if there
// is none. A string is read with s.
func (which meta) broken(is rawjson.Kind, s *rawjson.Scanner) string {
	if which == metaMetadata {
		if is != rawjson.Object {
			return "must be an object, not " + is.String()
		}
		return ""
	}
	if is != rawjson.String {
		return "must be a string, not " + is.String()
	}
	switch _, text := s.String(); {
	case len(text) == 0:
		return "must not be empty"
	case which == metaAPIVersion && bytes.Count(text, []byte("/")) > 1:
		return "must be a version or <group>/<version>"
	case which == metaKind && len(validation.IsDNS1035Label(strings.ToLower(string(text)))) > 0:
		return "must be a kind: letters, digits and inner hyphens, a letter first, and at most 63 characters"
	}
	return ""
}
