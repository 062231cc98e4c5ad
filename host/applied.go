package host

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// A field manager compares sets of fields, so it cannot withdraw a part of a value that the other
// version has as one field. This file marks the leaves of an object in annotations of the converted one,
// and on the way back gives an object the leaves that its marks say (docs/spec/leaves.md).

// markedBytes is the size of the largest object whose leaves are marked, and scannedLeaves the number of
// leaves up to which two objects are compared.
const (
	markedBytes   = 512 << 10
	scannedLeaves = 4 * maxLeaves
	decodedBytes  = 16 // of memory for a byte of an object that is decoded, as encoding/json decodes a list of small objects
	fieldBytes    = 64 // likewise for managedFields, where a set of one field is a map
)

// marks is the annotation that says which leaves an object had before its conversion. It counts for the
// same state of the object only: nobody knows the next resourceVersion, so no stored annotation counts.
type marks struct {
	Version         string                     `json:"version"`
	ResourceVersion string                     `json:"resourceVersion"`
	Leaves          int                        `json:"leaves,omitempty"` // each has an annotation
	Hidden          map[string]json.RawMessage `json:"hidden,omitempty"` // by pointer: leaves that the other version does not show
}

// managedEntry is an entry of metadata.managedFields. FieldsV1 is a fieldSet, which few objects need.
type managedEntry struct {
	APIVersion, Operation string
	FieldsV1              json.RawMessage
}

// fieldSet is a set of fields as API servers write it: members by "f:name", elements by "k:", "v:" or
// "i:", and "." for the value itself.
type fieldSet map[string]fieldSet

// owns reports whether the set of a value at a pointer has a field that two objects do not both show
// there: it may be where another field comes from.
func (f fieldSet) owns(at string, here, there map[string]json.RawMessage) bool {
	members := false
	for key, set := range f {
		if name, is := strings.CutPrefix(key, "f:"); is {
			members = true
			if set.owns(at+token(name), here, there) {
				return true
			}
		}
	}
	value, shown := here[at]
	other, too := there[at]
	return !members && !(shown && too && rawjson.Equal(value, other))
}

// marksKey is the name of the annotation. The names of marks go on with a dot.
func (v *conversion) marksKey() string { return "conversion." + string(v.group) + "/applied" }

// markName is the name of the annotation of a leaf.
func (v *conversion) markName(version, pointer string) string {
	return v.marksKey() + "." + nameOf("applied.", version, pointer)
}

// withoutMarks returns annotations without marks; false if there are none.
func (v *conversion) withoutMarks(annotations []byte) ([]byte, bool) {
	if !bytes.Contains(annotations, []byte("/applied")) || !isStringMap(annotations) {
		return annotations, false
	}
	key, found, left := v.marksKey(), false, []byte{'{'}
	eachString(annotations, func(k string, _, member []byte) {
		if k == key || strings.HasPrefix(k, key+".") {
			found = true
			return
		}
		left = append(comma(left), member...)
	})
	if len(left) == 1 {
		return nil, found
	}
	return append(left, '}'), found
}

// current returns the labels and annotations of an object after the hops so far.
func (v *conversion) current(i int) annotated {
	if now := v.objects[i].content.annotated; now.set {
		return now
	}
	m := &v.review.objects[i].meta
	return annotated{set: true, labels: m.value(partLabels, v.review.body), annotations: m.value(partAnnotations, v.review.body)}
}

// answerFieldManagers removes the marks from the converted objects of the batch, and does what they say.
// Objects on their way out get marks.
func (w *worker) answerFieldManagers(ctx context.Context, h *hop) *failure {
	v, body := w.state, w.state.review.body
	for _, i := range w.batch.objects {
		o, c := &v.review.objects[i], &v.objects[i].content
		now := v.current(i)
		if left, found := v.withoutMarks(now.annotations); found {
			now.annotations = left
			c.annotated = now
		}
		revision, managed := o.meta.part(partResourceVersion), o.meta.value(partManagedFields, body)
		if revision == nil || revision.is != rawjson.String || !bytes.Contains(managed, []byte(`"Apply"`)) {
			continue
		}
		if ctx.Err() != nil {
			return w.batch.late(h)
		}
		if len(managed) > markedBytes || bytes.Contains(managed, []byte(v.marksKey())) {
			continue // a person manages these annotations
		}
		if !v.hold(fieldBytes * len(managed)) {
			return w.batch.fault(h, nil, crowded{v.converter.held.limit})
		}
		var entries []managedEntry
		if json.Unmarshal(managed, &entries) != nil {
			continue
		}
		var rv string
		_ = json.Unmarshal(revision.value.Of(body), &rv)
		m, left := v.marksOf(o.meta.value(partAnnotations, body))
		back := m.Version == string(v.version) && m.ResourceVersion == rv
		needed := back && len(left) < m.Leaves || !back && len(o.span.Of(body)) <= markedBytes && withdraws(entries, o.apiVersion.value, v.review.desired.value)
		var whole []byte
		if needed {
			whole = w.arena.write(func(out *writer) { o.write(out, body, c, v.review.desired.raw.Of(body), forGuest) })
			if !v.hold(2*len(whole)) || back && len(whole) <= 2*markedBytes && !v.hold(decodedBytes*len(whole)) {
				return w.batch.fault(h, nil, crowded{v.converter.held.limit})
			}
		}
		switch {
		case !back:
			_, from, _ := splitAPIVersion(o.apiVersion.value)
			now.annotations = v.marked(now.annotations, o.span.Of(body), whole, marks{Version: string(from), ResourceVersion: rv})
			c.annotated = now
		case needed && len(whole) <= 2*markedBytes:
			v.restoreLeaves(c, o, whole, m, left, entries)
		}
	}
	return nil
}

// withdraws reports whether a withdrawal compares the two versions: a manager applied at the object's, and
// one has an entry at the other.
func withdraws(entries []managedEntry, from, to []byte) bool {
	applies := slices.ContainsFunc(entries, func(e managedEntry) bool { return e.APIVersion == string(from) && e.Operation == "Apply" })
	return applies && slices.ContainsFunc(entries, func(e managedEntry) bool { return e.APIVersion == string(to) })
}

// marksOf returns the marks of an object, and the names of the leaves that are marked. Marks beyond the
// bounds of those that the gateway writes are a person's, and none.
func (v *conversion) marksOf(annotations []byte) (m marks, left map[string]bool) {
	key := v.marksKey()
	if !bytes.Contains(annotations, []byte(key)) || !isStringMap(annotations) {
		return m, nil
	}
	left = map[string]bool{}
	eachString(annotations, func(k string, text, _ []byte) {
		if k == key && (len(text) > maxAnnotations || json.Unmarshal(text, &m) != nil || !m.bounded()) {
			m = marks{}
		}
		if strings.HasPrefix(k, key+".") {
			left[k] = true
		}
	})
	return m, left
}

// bounded reports whether the hidden leaves could be an object's.
func (m *marks) bounded() bool {
	for pointer := range m.Hidden {
		if len(pointer) > longPointer || strings.Count(pointer, "/") > leafDepth+1 {
			return false
		}
	}
	return len(m.Hidden) <= maxLeaves
}

// marked returns annotations with marks. The first is there in any case: without it, the way back would
// pass for another way out. Leaves are marked if there is the whole converted object to compare with.
func (v *conversion) marked(annotations, object, whole []byte, m marks) []byte {
	var names []string
	if whole != nil {
		names = v.compareLeaves(object, whole, &m)
	}
	for {
		text, err := json.Marshal(m)
		if err != nil {
			return annotations
		}
		with := []byte{'{'}
		if len(annotations) > 0 {
			with = slices.Clone(bytes.TrimRight(annotations[:len(annotations)-1], " \t\r\n"))
		}
		with = append(rawjson.Quote(comma(with), v.marksKey()), ':')
		with = rawjson.Quote(with, string(text))
		for _, name := range names {
			with = append(rawjson.Quote(append(with, ','), name), `:""`...)
		}
		if with = append(with, '}'); len(names) == 0 || len(with) <= maxAnnotations {
			return with
		}
		names, m.Leaves, m.Hidden = nil, 0, nil
	}
}

// compareLeaves puts the leaves that the converted object does not show into m, and returns the names of
// the annotations of all leaves; if they are too many, of these only; nothing if these are too many or
// two have one name.
func (v *conversion) compareLeaves(object, whole []byte, m *marks) []string {
	had, all := leavesOf(object)
	shows, allToo := leavesOf(whole)
	if !all || !allToo {
		return nil
	}
	hidden := map[string]json.RawMessage{}
	for pointer, value := range had {
		if now, there := shows[pointer]; !there || !rawjson.Equal(now, value) {
			hidden[pointer] = value
		}
	}
	marked := had
	if len(marked) > maxLeaves {
		marked = hidden
	}
	marked = maps.Clone(marked)
	for pointer, value := range hidden {
		for _, element := range elementsOf(value) {
			marked[elementOf(pointer, element)] = element
		}
	}
	names := map[string]bool{}
	for pointer := range marked {
		names[v.markName(m.Version, pointer)] = true
	}
	if len(hidden) == 0 || len(names) < len(marked) || len(names) > maxLeaves {
		return nil
	}
	m.Leaves, m.Hidden = len(names), hidden
	return slices.Sorted(maps.Keys(names))
}

// elementsOf returns the elements of a list of texts, numbers or booleans; nil for another value. An
// element of objects has no place of its own: only the schema says which members are its key.
func elementsOf(value []byte) (elements []json.RawMessage) {
	if value[0] != '[' || json.Unmarshal(value, &elements) != nil {
		return nil
	}
	if slices.ContainsFunc(elements, func(e json.RawMessage) bool { return e[0] == '{' || e[0] == '[' }) {
		return nil
	}
	return elements
}

// elementOf returns the pointer of a list with an element of it: a list that is a set has it once.
func elementOf(pointer string, element []byte) string { return pointer + token(string(element)) }

// leavesOf returns the values of an object that are not objects, by pointer, without its metadata; false
// if there are too many.
func leavesOf(object []byte) (all map[string]json.RawMessage, complete bool) {
	var s rawjson.Scanner
	s.Reset(object, 0)
	all = map[string]json.RawMessage{}
	complete = addLeaves(&s, object, all, "", 0)
	return all, complete
}

// addLeaves adds the leaves of the next value, an object at the pointer.
func addLeaves(s *rawjson.Scanner, doc []byte, all map[string]json.RawMessage, at string, depth int) bool {
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		pointer, start, n := at+token(string(m.Key)), s.Offset(), len(all)
		switch {
		case depth == 0 && isFrame(string(m.Key)):
			s.Skip()
			continue
		case len(pointer) > longPointer || n == scannedLeaves:
			return false
		case s.Peek() != rawjson.Object || depth == leafDepth:
			all[pointer] = s.Skip().Of(doc)
			continue
		case !addLeaves(s, doc, all, pointer, depth+1):
			return false
		}
		if len(all) == n { // it is empty
			all[pointer] = bytes.TrimSpace(doc[start:s.Offset()])
		}
	}
	return s.Err() == nil
}

// isFrame reports whether a member of an object is not a module's to keep.
func isFrame(key string) bool { return key == "apiVersion" || key == "kind" || key == "metadata" }
