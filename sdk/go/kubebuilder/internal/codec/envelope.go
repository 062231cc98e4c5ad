package codec

import (
	"slices"
	"strings"
	"unsafe"
)

// Parts are places in the text of an object that [Codec.DecodeObject] finds on its way.
type Parts struct {
	APIVersion, Kind, Metadata Part
	Labels, Annotations, UID   Part // members of the metadata
	Odd                        bool // the text may have one of these twice, or spelt otherwise
}

// Part is a member of an object: text[Start:End] has its name and its value, which begins at Value.
// The zero Part says that there is no such member.
type Part struct{ Start, Value, End int }

// OfMetadata returns a codec that decodes only some members of an object's metadata: labels,
// annotations, and those in names. It is for decoding.
func (c *Codec) OfMetadata(names []string) *Codec {
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	root := c.plan.copied()
	for i := range root.fields {
		f := &root.fields[i]
		if f.name != "metadata" || f.indirect || f.plan.how != opStruct {
			continue
		}
		metadata := f.plan.copied()
		for i := range metadata.fields {
			switch m := &metadata.fields[i]; {
			case m.name == "labels" || m.name == "annotations" || slices.Contains(names, m.name):
			default:
				m.plan = &plan{op: opSkip, how: opSkip, t: m.plan.t}
			}
		}
		f.plan = metadata
	}
	return &Codec{set: c.set, plan: root, as: c.as}
}

// copied returns a copy of the plan of a struct, with fields of its own.
func (p *plan) copied() *plan {
	own := *p
	own.fields = slices.Clone(p.fields)
	own.buildIndex()
	return &own
}

// DecodeObject is Decode for a Kubernetes object. It also finds the parts of the text that
// converters copy.
func (c *Codec) DecodeObject(text []byte, v unsafe.Pointer, parts *Parts) error {
	*parts = Parts{}
	return c.decode(text, v, parts)
}

// note notes a member of the object, or of its metadata: its name is in quotes from start to
// nameEnd, and its value from begin to end. f is its field, or nil.
func (d *decoder) note(f *field, start, nameEnd, begin, end int) {
	if d.depth == 1 && f != nil {
		d.inMetadata = false
	} else if d.depth == 2 && !d.inMetadata {
		return
	}
	name := d.text[start+1 : nameEnd]
	part := d.parts.of(name, d.depth == 2)
	switch {
	case f != nil && f.name != name || strings.Contains(name, `\`):
		d.parts.Odd = true // another spelling
	case part != nil:
		d.parts.Odd = d.parts.Odd || part.End != 0
		*part = Part{start, begin, end}
	}
}

// of returns the part for a member of the object, or of its metadata; nil if there is none.
func (p *Parts) of(name string, metadata bool) *Part {
	switch {
	case metadata && name == "labels":
		return &p.Labels
	case metadata && name == "annotations":
		return &p.Annotations
	case metadata && name == "uid":
		return &p.UID
	case metadata:
	case name == "apiVersion":
		return &p.APIVersion
	case name == "kind":
		return &p.Kind
	case name == "metadata":
		return &p.Metadata
	}
	return nil
}
