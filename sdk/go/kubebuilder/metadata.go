package kubebuilder

import (
	"bytes"
	"unsafe"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// edit is the change of the labels or of the annotations.
type edit struct {
	name          string
	raw           []byte
	there, needed bool
}

// says reports whether the result has the labels, or the annotations.
func (e edit) says() bool { return e.there && string(e.raw) != "null" }

// edits returns those that make the labels and annotations the ones of out; changed reports whether
// any is needed. It is valid until the next call.
func (c *conversionOf) edits(out unsafe.Pointer, was func(name string) ([]byte, bool)) (edits [2]edit, changed bool, err error) {
	edits = [2]edit{{name: "labels"}, {name: "annotations"}}
	c.scratch = c.scratch[:0]
	for i := range edits {
		e := &edits[i]
		start := len(c.scratch)
		if c.scratch, e.there, err = c.encode.AppendMember(c.scratch, out, "metadata", e.name); err != nil {
			return edits, false, encodeError(err)
		}
		e.raw = c.scratch[start:len(c.scratch):len(c.scratch)]
		raw, had := was(e.name)
		e.needed = had != e.there || !bytes.Equal(raw, e.raw)
		changed = changed || e.needed
	}
	return edits, changed, nil
}

// apply edits v at a path.
func (e edit) apply(v crosswalk.Value, path crosswalk.Path) {
	switch {
	case e.needed && e.says():
		v.SetRaw(path, e.raw)
	case e.needed:
		v.Remove(path...)
	}
}

// partOf returns the labels or the annotations of an object's text.
func partOf(parts *codec.Parts, name string) codec.Part {
	if name == "annotations" {
		return parts.Annotations
	}
	return parts.Labels
}

// appendMetadata appends the metadata of an object's text with the edits; ok is false if one of
// them removes a member, which needs a look at the commas.
func appendMetadata(dst, text []byte, parts *codec.Parts, edits [2]edit) (_ []byte, ok bool) {
	if parts.Annotations.Start < parts.Labels.Start {
		edits[0], edits[1] = edits[1], edits[0]
	}
	dst = append(dst, `"metadata":`...)
	at := parts.Metadata.Value
	for _, e := range edits {
		part := partOf(parts, e.name)
		switch {
		case !e.needed || part.End == 0:
		case !e.says():
			return nil, false
		default:
			dst = append(append(dst, text[at:part.Value]...), e.raw...)
			at = part.End
		}
	}
	dst = append(dst, text[at:parts.Metadata.End-1]...) // the rest, without the brace
	for _, e := range edits {
		if e.needed && e.says() && partOf(parts, e.name).End == 0 { // behind the uid, at least
			dst = append(crosswalk.Quote(append(dst, ','), e.name), ':')
			dst = append(dst, e.raw...)
		}
	}
	return append(dst, '}'), true
}
