package host

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// restoreLeaves gives an object the hidden leaves whose marks are left, and takes those from it whose
// marks are gone. It takes none if a manager at the other version owns a field of the same member of the
// object that has another place in this version: the leaf may come from that.
func (v *conversion) restoreLeaves(c *content, o *object, whole []byte, m marks, left map[string]bool, entries []managedEntry) {
	var object map[string]any
	if decodeNumbers(whole, &object) != nil {
		return
	}
	here, _ := leavesOf(o.span.Of(v.review.body))
	there, _ := leavesOf(whole)
	owned := map[string]bool{}
	for _, e := range entries {
		var fields fieldSet
		if len(e.FieldsV1) > 0 && json.Unmarshal(e.FieldsV1, &fields) != nil {
			return
		}
		for key, set := range fields {
			name, _ := strings.CutPrefix(key, "f:")
			owned[key] = owned[key] || e.APIVersion == string(o.apiVersion.value) && set.owns(token(name), here, there)
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(m.Hidden)) {
		keys := strings.Split(pointer, "/")[1:]
		for i := range keys {
			keys[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(keys[i])
		}
		var value any
		switch {
		case len(keys) == 0:
		case left[v.markName(m.Version, pointer)]:
			if decodeNumbers(m.Hidden[pointer], &value) == nil {
				setAbsent(object, keys, value)
			}
			if !owned["f:"+keys[0]] {
				removeElements(object, keys, v.withdrawn(m, pointer, left))
			}
		case !owned["f:"+keys[0]]:
			removeLeaf(object, keys)
		}
	}
	maps.DeleteFunc(object, func(key string, _ any) bool { return isFrame(key) })
	text, err := json.Marshal(object)
	var s rawjson.Scanner
	if s.Reset(text, 0); err != nil || s.Skip() == (rawjson.Span{}) || !s.End() { // it is too deep
		return
	}
	*c = content{doc: text, empty: len(object) == 0, restored: c.restored, annotated: c.annotated}
}

// decodeNumbers decodes JSON and keeps the digits of numbers.
func decodeNumbers(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// setAbsent sets a value, and makes the objects on the way, unless something is in its place.
func setAbsent(object map[string]any, keys []string, value any) {
	inner := object[keys[0]]
	if len(keys) == 1 {
		if inner == nil {
			object[keys[0]] = value
		}
		return
	}
	next, _ := inner.(map[string]any)
	if inner == nil {
		next = map[string]any{}
		object[keys[0]] = next
	}
	if next != nil {
		setAbsent(next, keys[1:], value)
	}
}

// withdrawn returns the elements of a hidden list whose marks are gone; none if the list has more
// different ones than the gateway marks.
func (v *conversion) withdrawn(m marks, pointer string, left map[string]bool) map[any]bool {
	gone, seen := map[any]bool{}, map[string]bool{}
	for _, element := range elementsOf(m.Hidden[pointer]) {
		if seen[string(element)] {
			continue
		}
		if seen[string(element)] = true; len(seen) > maxLeaves {
			return nil
		}
		var value any
		if decodeNumbers(element, &value) == nil && !left[v.markName(m.Version, elementOf(pointer, element))] {
			gone[value] = true
		}
	}
	return gone
}

// removeElements removes elements from a list.
func removeElements(object map[string]any, keys []string, gone map[any]bool) {
	for _, key := range keys[:len(keys)-1] {
		object, _ = object[key].(map[string]any)
	}
	last := keys[len(keys)-1]
	if list, ok := object[last].([]any); ok && len(gone) > 0 {
		object[last] = slices.DeleteFunc(list, func(e any) bool {
			switch e.(type) {
			case map[string]any, []any: // no key of a map
				return false
			}
			return gone[e]
		})
	}
}

// removeLeaf removes a value, and the objects around it that are empty then.
func removeLeaf(object map[string]any, keys []string) {
	if len(keys) > 1 {
		next, _ := object[keys[0]].(map[string]any)
		n := len(next)
		if n == 0 {
			return
		}
		if removeLeaf(next, keys[1:]); len(next) == n || len(next) > 0 {
			return
		}
	}
	delete(object, keys[0])
}
