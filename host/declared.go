package host

import (
	"bytes"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// splice is check for the output of a module that declares fields. It merges the output into the
// object, so the content is a whole object. It does not check the object's other bytes again: they
// were checked in the request, or as an output of an earlier hop.
func (k *checker) splice(body []byte, o *object, c *content, s *projected, view, answer []byte, to *hop, p *projector, buf *arena) (broken projection.Breach) {
	if limit := k.limits.answerBytes(len(view)); len(answer) > limit {
		return projection.Breachf("has %d bytes; for this object, of which the module is shown %d, at most %d are allowed", len(answer), len(view), limit)
	}
	if len(answer) == 0 {
		return "is empty"
	}
	if o.odd {
		key, name := projection.OddKey(o.span.Of(body))
		return projection.Breachf("leaves a top-level field %s in the object, which differs from %s only by case", quoted([]byte(key)), name)
	}
	k.body, k.object, k.answer = body, o, answer
	now := annotated{set: c.set, labels: c.labels, annotations: c.annotations}
	if !now.set {
		now = annotated{labels: o.meta.value(partLabels, body), annotations: o.meta.value(partAnnotations, body)}
	}
	if unchanged(view, answer, s.version, to.toJSON) {
		out := projection.Stamp(projection.Room{Pieces: p.room(3)}, s.whole, s.parts, to.toJSON)
		p.keepPieces(&out)
		*c = content{doc: s.whole, spliced: out, apiVersion: true, kind: true, meta: out.Metadata, annotated: c.annotated, restored: c.restored}
		return ""
	}
	k.scan.Reset(answer, k.limits.Depth)
	k.answered, broken = to.fields.Check(&k.scan, slices.Grow(k.answered[:0], len(s.parts)), answer) // mostly it has as many
	if err := k.scan.Err(); err != nil {
		return projection.Breachf("is not strictly valid JSON: %v", err)
	}
	if broken == "" {
		broken = k.envelope(to)
	}
	restored := false
	if broken == "" {
		restored, broken = k.unchangeable(s)
	}
	if broken != "" {
		return broken
	}
	pieces, added := projection.RoomFor(len(s.parts), len(k.answered), len(answer), len(to.toJSON))
	var out projection.Spliced
	buf.build(added, func(dst []byte) []byte {
		out, broken = to.fields.Splice(projection.Room{Pieces: p.room(pieces), Added: dst}, s.whole, s.parts, answer, k.answered, to.toJSON)
		return out.Used().Added
	})
	if broken != "" {
		return broken
	}
	p.keepPieces(&out)
	if limit := k.limits.answerBytes(len(s.whole)); out.Size > limit {
		return projection.Breachf("makes an object of %d bytes; of this one, which has %d, at most %d are allowed", out.Size, len(s.whole), limit)
	}
	*c = content{doc: s.whole, spliced: out, apiVersion: true, kind: true, meta: out.Metadata, annotated: c.annotated, restored: c.restored || restored}
	if out.Set {
		c.annotated, broken = k.spliced(to.fields, s.whole, &out, now, buf)
	}
	return broken
}

// unchanged reports whether the output is the input with the desired apiVersion.
func unchanged(view, answer []byte, version rawjson.Span, apiVersion []byte) bool {
	n := version.Start + len(apiVersion)
	return version.End > 0 && len(answer) == len(view)-(version.End-version.Start)+len(apiVersion) &&
		bytes.Equal(answer[:version.Start], view[:version.Start]) && bytes.Equal(answer[version.Start:n], apiVersion) && bytes.Equal(answer[n:], view[version.End:])
}

// envelope checks apiVersion and kind of a well-formed output.
func (k *checker) envelope(to *hop) (broken projection.Breach) {
	apiVersion, kind := projection.Envelope(k.answer, k.answered)
	if apiVersion != nil && !bytes.Equal(apiVersion, to.toJSON) {
		k.scan.Reset(apiVersion, 0)
		if broken = k.checkAPIVersion(to.to); broken != "" {
			return broken
		}
	}
	if kind != nil && !bytes.Equal(kind, k.object.kind.raw.Of(k.body)) {
		k.scan.Reset(kind, 0)
		return k.checkKind()
	}
	return ""
}

// unchangeable checks the metadata of an output that no conversion may change. restored reports an
// attempted change, which the gateway reverts.
func (k *checker) unchangeable(s *projected) (restored bool, broken projection.Breach) {
	projection.EachOther(s.whole, s.parts, k.answer, k.answered, func(name string, was, now []byte) bool {
		switch name {
		case "name", "namespace", "uid":
			if !sameIdentity(was, now) {
				broken = projection.Breachf("changes metadata.%s; name, namespace and uid must stay as they are or be left out", name)
			}
		default:
			restored = restored || !sameField(was, now)
		}
		return broken == ""
	})
	return restored, broken
}

// spliced returns the labels and annotations of an object after the merge, and checks the declared
// ones. now are those before it.
func (k *checker) spliced(fields *projection.Fields, doc []byte, out *projection.Spliced, now annotated, buf *arena) (a annotated, broken projection.Breach) {
	a = annotated{set: true, labels: now.labels, annotations: now.annotations}
	if fields.HasLabels() {
		a.labels, broken = k.part(partLabels, contiguous(out, doc, out.Labels, buf), now.labels)
	}
	if fields.HasAnnotations() && broken == "" {
		a.annotations, broken = k.part(partAnnotations, contiguous(out, doc, out.Annotations, buf), now.annotations)
	}
	return a, broken
}

// contiguous returns the bytes of a span of an object in pieces; nil for an empty span.
func contiguous(out *projection.Spliced, doc []byte, span rawjson.Span, buf *arena) []byte {
	if span == (rawjson.Span{}) {
		return nil
	}
	if one, ok := out.One(doc, span); ok {
		return one
	}
	return buf.build(span.End-span.Start, func(dst []byte) []byte { return out.Append(dst, doc, span.Start, span.End) })
}

// part returns labels or annotations, and checks them if they changed; nil if they are absent.
func (k *checker) part(which partKind, value, was []byte) (_ []byte, broken projection.Breach) {
	if value == nil || bytes.Equal(value, was) {
		return value, ""
	}
	k.answer = value
	k.scan.Reset(value, 0)
	span, broken := k.stringMap([partKinds]string{"labels", "annotations"}[which])
	if broken != "" || span == (rawjson.Span{}) { // null
		return nil, broken
	}
	return value, k.changed(which, value)
}
