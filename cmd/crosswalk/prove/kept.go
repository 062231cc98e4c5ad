package prove

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// keeping is a value of a version that the annotation may keep, and the most bytes that it needs.
type keeping struct {
	line int
	at   path
	size int
}

// keep notes a value that the annotation keeps in some objects. at is where the rule's paths begin.
func (p *prover) keep(side int, at, of path, line, size int) {
	whole := at.join(of...)
	if !p.need(outside, len(at) == 0, line, whole, "a value of it may have to be kept, and it is in a moved value") {
		return
	}
	for _, name := range whole {
		if !p.need(outside, name != everyElement && name != everyMember, line, whole, "a value of it may have to be kept, and it is in a list or a map, whose elements may get other places") ||
			!p.need(outside, !isIndex(name), line, whole, "a value of it may have to be kept, and %s may be the place of an element", name) {
			return
		}
	}
	p.need(direct, p.steps == 1, line, whole, "a value of it may have to be kept on the way through a third version")
	p.keeps[side] = append(p.keeps[side], keeping{line, whole, size})
	p.regained(side, whole, line)
}

// drop decides about a field that only one version has: the annotation keeps it, and nothing that
// changes in the other version touches it.
func (p *prover) drop(s sides, at path, r placed) {
	whole := r.at[r.Side]
	if !p.need(place, len(at) > 0 || len(whole) > 1 && !isMetadata(at, whole), r.Line, whole, "it is not a field of spec, status or another member of the object") {
		return
	}
	p.need(kept, !r.Unkept, r.Line, whole, "the rule does not keep the field")
	p.need(kept, !r.Depends, r.Line, whole, "the rule does not restore the field after changes of the fields in for")
	f := lookup(s[r.Side], whole)
	if !p.need(place, f != nil, r.Line, whole, "the schema of %s does not name the field", p.versions[r.Side]) {
		return
	}
	p.need(null, !f.Nullable, r.Line, whole, "it can be null in %s", p.versions[r.Side])
	p.keep(r.Side, at, whole, r.Line, longest(f, 0))
}

// regained decides about a client that deletes an object around a kept value in the other version:
// the object would come back with the value. The members at the top, such as spec, do so empty.
func (p *prover) regained(side int, at path, line int) {
	other := 1 - side
	for n := 1; n < len(at); n++ {
		outer, object := lookup(p.schemas[other], at[:n-1]), lookup(p.schemas[other], at[:n])
		if object == nil {
			return // the other version has no such object
		}
		required := outer.ValueValidation != nil && slices.Contains(outer.ValueValidation.Required, at[n-1])
		if n > 1 {
			p.need(stays, required, line, at[:n], "a client of %s may delete it, and it would come back around a value that is kept: is it required in %s?", p.versions[other], p.versions[other])
			continue
		}
		p.need(defaults, required || !setsDefaults(object, 0), line, at[:n], "a client of %s may delete it, and it would come back with defaults around a value that is kept: is it required in %s?", p.versions[other], p.versions[other])
	}
}

// setsDefaults reports whether the schema sets a default of a member, or of one within.
func setsDefaults(s *schema.Structural, depth int) bool {
	for _, property := range s.Properties {
		if property.Default.Object != nil || depth > deepest || setsDefaults(&property, depth+1) {
			return true
		}
	}
	return false
}

// isIndex reports whether a name may be that of an element in a pointer.
func isIndex(name string) bool {
	for _, c := range name {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

const (
	// mostKept is the size of the annotation (docs/spec/stash.md).
	mostKept = 131_072
	// keptHead is the room for all of the annotation but pointers and values.
	keptHead = 4_096
)

// checkFits decides whether the annotation can hold the values kept of every object.
func (p *prover) checkFits(f *rules.File, d *apiserver.Definition) {
	for side, all := range p.keeps {
		if len(all) == 0 {
			continue
		}
		first := all[0]
		p.need(fits, len(d.Versions) == len(f.Versions), first.line, first.at, "the definition has other versions, whose modules may keep values in the same annotation")
		size := keptHead
		for _, k := range all {
			if p.need(fits, k.size < mostKept, k.line, k.at, "its values may need more than %d bytes in the annotation: bound them in the schema of %s with enum, maxLength, maxItems or maxProperties", mostKept, p.versions[side]) {
				size += k.size + 2*len(k.at.String()) + p.pointers + 64
			}
		}
		p.need(fits, size <= mostKept, first.line, first.at, "the values that %s keeps may need more than %d bytes in the annotation together", p.versions[1-side], mostKept)
	}
}

const (
	// longestRune is the most bytes of a character in JSON, as two escapes.
	longestRune = 12
	// longestNumber is more than the bytes of any number that an API server writes.
	longestNumber = 40
	// deepest bounds the depth of a value.
	deepest = 64
)

// longest returns a bound for the JSON of the values that a schema allows; mostKept or more if there
// is none below it.
func longest(s *schema.Structural, depth int) int {
	if depth > deepest || s == nil || s.XPreserveUnknownFields || s.XEmbeddedResource || s.XIntOrString {
		return mostKept
	}
	v := s.ValueValidation
	if v == nil {
		v = &schema.ValueValidation{}
	}
	switch s.Type {
	case "boolean":
		return len("false")
	case "integer", "number":
		return longestNumber
	case "string":
		if len(v.Enum) > 0 {
			most := 0
			for _, one := range v.Enum {
				text, _ := one.Object.(string)
				most = max(most, len(text))
			}
			return 2 + longestRune*most
		}
		if v.MaxLength != nil {
			return 2 + times(*v.MaxLength, longestRune)
		}
	case "array":
		if v.MaxItems != nil && s.Items != nil {
			return 2 + times(*v.MaxItems, 1+longest(s.Items, depth+1))
		}
	case "object":
		if s.AdditionalProperties != nil {
			return mostKept // keys have no bound
		}
		size := 2
		for name, property := range s.Properties {
			size = min(mostKept, size+4+longestRune*len(name)+longest(&property, depth+1))
		}
		return size
	}
	return mostKept
}

// times multiplies without overflow.
func times(n int64, each int) int {
	if n < 0 || n >= mostKept || int(n)*each >= mostKept {
		return mostKept
	}
	return int(n) * each
}
