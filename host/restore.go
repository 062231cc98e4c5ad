package host

import (
	"bytes"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// fewFields is the number of members up to which two metadatas are compared member by member; the
// API machinery knows 15. Beyond it a map is used, so that a client cannot make the comparison
// expensive by inventing members.
const fewFields = 64

// restores reports whether the answer's metadata differs, apart from labels and annotations, from
// the module's view: the request's metadata with the labels and annotations in a. The host restores
// the original in any case; the result is for counting. A member that the answer omits is
// unchanged, and so is a zero value in place of an absent member, which typed languages write.
func (k *checker) restores(a annotated) bool {
	if len(k.others) == 0 {
		return false
	}
	meta := &k.object.meta
	w := writer{dst: k.scratch[:0]}
	meta.write(&w, k.body, a, forGuest)
	k.scratch = w.dst
	if bytes.Equal(k.scratch, k.meta.Of(k.answer)) {
		return false
	}
	w.dst = k.scratch[:0]
	meta.write(&w, k.body, annotated{set: true}, forGuest)
	k.scratch = w.dst
	k.own = k.own[:0]
	s := &k.second
	s.Reset(k.scratch, 0)
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		key := k.scratch[m.Start+1:][:len(m.Key)]
		if !bytes.Equal(key, m.Key) { // it has escapes
			key = bytes.Clone(m.Key)
		}
		k.own = append(k.own, metaField{key, s.Skip().Of(k.scratch)})
	}
	var index map[string][]byte
	if len(k.own) > fewFields {
		index = make(map[string][]byte, len(k.own))
		for _, f := range k.own {
			index[string(f.key)] = f.value
		}
	}
	for _, f := range k.others {
		if !sameField(k.find(index, f.key), f.value) {
			return true
		}
	}
	return false
}

// find returns the value of a member of the request's metadata, nil if there is none.
func (k *checker) find(index map[string][]byte, key []byte) []byte {
	if index != nil {
		return index[string(key)]
	}
	for i := range k.own {
		if bytes.Equal(k.own[i].key, key) {
			return k.own[i].value
		}
	}
	return nil
}

// sameField compares two values of a member of metadata; nil means that the member is absent.
func sameField(a, b []byte) bool {
	return bytes.Equal(a, b) || isZero(a) && isZero(b) || rawjson.Equal(a, b)
}

// isZero reports whether a typed language writes the value in place of an absent one.
func isZero(v []byte) bool {
	switch string(v) {
	case "", "null", `""`, "0", "false", "{}", "[]":
		return true
	}
	return (v[0] == '{' || v[0] == '[') && len(bytes.TrimSpace(v[1:len(v)-1])) == 0
}
