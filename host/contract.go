package host

import (
	"bytes"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// checker checks module answers against the conversion contract (docs/spec/contract.md), each in one
// strict pass. It is reused; every goroutine has its own.
type checker struct {
	limits Limits
	scan   rawjson.Scanner
	second rawjson.Scanner // for values that are read again: labels and metadata that changed

	// The inputs of the check: the request's body, its object, and the answer.
	body   []byte
	object *object
	answer []byte
	seen   []byte // the metadata in the view, on the first hop; nil on later ones

	// The parts of the answer's metadata that have been read:
	meta        rawjson.Span
	same        bool         // byte for byte as seen
	labels      rawjson.Span // zero: none, or null
	annotations rawjson.Span // likewise
	others      []metaField  // members that a conversion may not change, except name, namespace and uid

	own     []metaField // the others of the request, where they must be compared
	scratch []byte
	maps    stringMaps

	answered []projection.Part // of an answer with declared fields
}

// metaField is a member of metadata. Its parts alias a document, but for a key that had escapes.
type metaField struct{ key, value []byte }

// check checks one answer to an object of the review, of which the module saw the view. c is the
// result of earlier hops, the zero value on the first; the answer replaces it. broken is the rule
// that the answer breaks, in words that follow "its answer"; "" if it keeps them all.
//
// Most of an answer is the request's own text, which is not read a second time: containers that are
// equal to containers of the object, and, on the first hop, metadata that is equal to the view's.
func (k *checker) check(r *review, o *object, c *content, view, answer []byte, to *hop, first bool) (broken projection.Breach) {
	if limit := k.limits.answerBytes(len(view)); len(answer) > limit {
		return projection.Breachf("has %d bytes; for this object, which has %d, at most %d are allowed", len(answer), len(view), limit)
	}
	if len(answer) == 0 {
		return "is empty"
	}
	k.body, k.object, k.answer = r.body, o, answer
	k.seen, k.same = nil, false
	if first {
		k.seen = o.seenMetadata(view)
	}
	k.meta, k.labels, k.annotations, k.others = rawjson.Span{}, rawjson.Span{}, rawjson.Span{}, k.others[:0]

	s := &k.scan
	s.Reset(answer, k.limits.Depth)
	s.Compare(r.body, r.known.of(o))
	if is := s.Peek(); is != rawjson.Object && is != rawjson.Invalid {
		return projection.Breachf("is %v, not an object", is)
	}
	s.Object()
	start := s.Offset() - 1
	*c = content{empty: true, annotated: c.annotated, restored: c.restored}
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		c.empty = false
		switch string(m.Key) {
		case "apiVersion":
			c.apiVersion = true
			broken = k.checkAPIVersion(to.to)
		case "kind":
			c.kind = true
			broken = k.checkKind()
		case "metadata":
			broken = k.checkMetadata()
		default:
			broken = k.checkKey(m.Key)
		}
		if broken != "" {
			return broken
		}
	}
	end := s.Offset()
	if !s.End() {
		return projection.Breachf("is not strictly valid JSON: %v", s.Err())
	}
	c.doc = answer[start:end]
	if k.meta == (rawjson.Span{}) {
		return ""
	}
	c.meta = rawjson.Span{Start: k.meta.Start - start, End: k.meta.End - start}
	if k.same {
		return ""
	}
	c.restored = c.restored || k.restores(c.annotated)
	c.annotated, broken = k.annotated()
	return broken
}

// checkAPIVersion checks the answer's apiVersion, which is next.
func (k *checker) checkAPIVersion(want string) (broken projection.Breach) {
	if is := k.scan.Peek(); is != rawjson.String {
		return notA("a string", "apiVersion", is)
	}
	if _, got := k.scan.String(); k.scan.Err() == nil && string(got) != want {
		return projection.Breachf("has apiVersion %s; it must be %s or be left out", quoted(got), quoted(want))
	}
	return ""
}

// checkKind checks the answer's kind, which is next.
func (k *checker) checkKind() (broken projection.Breach) {
	if is := k.scan.Peek(); is != rawjson.String {
		return notA("a string", "kind", is)
	}
	if _, got := k.scan.String(); k.scan.Err() == nil && !bytes.Equal(got, k.object.kind.value) {
		return projection.Breachf("has kind %s; a conversion may not change the kind", quoted(got))
	}
	return ""
}

// notA describes a value of the wrong type. It returns "" for an invalid value, because the scanner
// reports that.
func notA(want, name string, is rawjson.Kind) (broken projection.Breach) {
	if is == rawjson.Invalid {
		return ""
	}
	return projection.Breachf("has %s that is %v, not %s", name, is, want)
}

// checkKey checks the key of any other member at the top level. Readers that do not mind case,
// encoding/json among them, would take "Metadata" for the metadata, and so see another object than
// the one that was checked.
func (k *checker) checkKey(key []byte) (broken projection.Breach) {
	if name := projection.Reserved(key); name != "" {
		return projection.Breachf("has a top-level field %s, which differs from %s only by case", quoted(key), name)
	}
	return ""
}

// checkMetadata checks the answer's metadata, which is next, and finds its parts.
func (k *checker) checkMetadata() (broken projection.Breach) {
	s := &k.scan
	if is := s.Peek(); is != rawjson.Object {
		return notA("an object", "metadata", is)
	}
	if k.seen != nil && k.object.meta.hasStringMaps(k.body) {
		if k.meta = s.SkipEqual(k.seen); k.meta != (rawjson.Span{}) {
			k.same = true
			return ""
		}
	}
	s.Object()
	k.meta.Start = s.Offset() - 1
	for m, ok := s.Member(); ok && broken == ""; m, ok = s.Member() {
		switch string(m.Key) {
		case "name":
			broken = k.checkIdentity(identityName)
		case "namespace":
			broken = k.checkIdentity(identityNamespace)
		case "uid":
			broken = k.checkIdentity(identityUID)
		case "labels":
			k.labels, broken = k.stringMap("labels")
		case "annotations":
			k.annotations, broken = k.stringMap("annotations")
		default:
			k.noteOther(m)
		}
	}
	k.meta.End = s.Offset()
	return broken
}

// checkIdentity checks the next value, which is name, namespace or uid.
func (k *checker) checkIdentity(which int) (broken projection.Breach) {
	got := k.scan.Skip().Of(k.answer)
	if k.scan.Err() != nil || sameIdentity(k.object.meta.keep[which].Of(k.body), got) {
		return ""
	}
	name := [identities]string{"name", "namespace", "uid"}[which]
	return projection.Breachf("changes metadata.%s; name, namespace and uid must stay as they are or be left out", name)
}

// sameIdentity compares two values of an identifying field. The API machinery reads a missing one,
// null and "" alike.
func sameIdentity(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	blank := func(v []byte) bool { return len(v) == 0 || string(v) == "null" || string(v) == `""` }
	return blank(a) && blank(b) || rawjson.Equal(a, b)
}

// noteOther notes a member of metadata that is the host's business alone. Its value is next.
func (k *checker) noteOther(m rawjson.Member) {
	key := k.answer[m.Start+1:]
	key = key[:min(len(key), len(m.Key))]
	if !bytes.Equal(key, m.Key) { // it has escapes
		key = bytes.Clone(m.Key)
	}
	if value := k.scan.Skip(); k.scan.Err() == nil {
		k.others = append(k.others, metaField{key, value.Of(k.answer)})
	}
}

// recycle drops the references to the input.
func (k *checker) recycle() {
	k.body, k.object, k.answer, k.seen = nil, nil, nil, nil
	clear(k.others[:cap(k.others)])
	clear(k.own[:cap(k.own)])
	k.answered = empty(k.answered)
	if cap(k.others) > fewFields {
		k.others = nil
	}
	if cap(k.own) > fewFields {
		k.own = nil
	}
	if cap(k.scratch) > arenaKeep {
		k.scratch = nil
	}
	k.scan.Reset(nil, 0)
	k.second.Reset(nil, 0)
	k.maps.recycle()
}
