package fuzz

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

// absent stands for a value that is not there.
type absent struct{}

// difference is a place where two objects differ.
type difference struct {
	property string // Lost, Changed, Added or Reordered
	path     string // with indices and keys
	general  string // with [] for indices and * for the keys of maps
	was, is  any
	hollow   bool // no value that is not empty is lost, changed or added
	entry    bool // it is an element of a list or an entry of a map, or in one, that is there on one side only
}

// maxDifferences is the most differences of two objects: a converter that loses a list of thousands
// of elements is reported as well by the first.
const maxDifferences = 64

// comparer collects the differences between two objects of one version.
type comparer struct {
	found []difference
}

// differences compares the values of two objects of a version that an API server shows: everything
// but apiVersion, kind and the metadata that no conversion changes. Annotations in which converters
// keep values are not compared: see stash; and added ones that hold a JSON object.
func differences(s *schema.Structural, group string, was, is map[string]any) []difference {
	c := &comparer{}
	for _, key := range union(was, is) {
		switch key {
		case "apiVersion", "kind":
		case "metadata":
			before, _ := was[key].(map[string]any)
			after, _ := is[key].(map[string]any)
			c.texts("labels", before, after, func(string, string, bool) bool { return false })
			c.texts("annotations", before, after, func(key, value string, added bool) bool {
				return stash(group).owns(key) || added && isObject(value)
			})
		default:
			child, general := step(s, "", key)
			c.compare(key, general, child, !named(s, key), valueAt(was, key), valueAt(is, key))
		}
	}
	return c.found
}

// Differ reports whether an API server shows other values of one of two objects of a version: see
// differences.
func Differ(d *apiserver.Definition, v *apiserver.Version, was, is map[string]any) bool {
	return len(differences(v.Schema, d.Group, was, is)) > 0
}

// texts compares labels or annotations; none is as good as an empty map.
func (c *comparer) texts(member string, was, is map[string]any, ignored func(key, value string, added bool) bool) {
	before, _ := was[member].(map[string]any)
	after, _ := is[member].(map[string]any)
	for _, key := range union(before, after) {
		b, a := valueAt(before, key), valueAt(after, key)
		_, added := b.(absent)
		text, _ := a.(string)
		if !ignored(key, text, added) {
			c.compare("metadata."+member+"["+strconv.Quote(key)+"]", "metadata."+member+".*", nil, true, b, a)
		}
	}
}

func union(a, b map[string]any) []string {
	keys := make([]string, 0, len(a)+len(b))
	for key := range a {
		keys = append(keys, key)
	}
	for key := range b {
		if _, there := a[key]; !there {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func valueAt(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

// compare compares the values at a path. entry reports whether they are an element of a list or an
// entry of a map, and not a field that the schema names.
func (c *comparer) compare(path, general string, s *schema.Structural, entry bool, was, is any) {
	if len(c.found) >= maxDifferences {
		return
	}
	switch w := was.(type) {
	case absent:
		c.leaves(Added, path, general, s, entry, is)
		return
	case map[string]any:
		if i, ok := is.(map[string]any); ok {
			for _, key := range union(w, i) {
				child, generalChild := step(s, general, key)
				c.compare(join(path, key), generalChild, child, !named(s, key), valueAt(w, key), valueAt(i, key))
			}
			return
		}
	case []any:
		if i, ok := is.([]any); ok {
			c.compareLists(path, general, s, w, i)
			return
		}
	}
	if _, gone := is.(absent); gone {
		c.leaves(Lost, path, general, s, entry, was)
	} else if !same(was, is) {
		c.add(Changed, path, general, entry, was, is)
	}
}

func (c *comparer) compareLists(path, general string, s *schema.Structural, was, is []any) {
	if len(was) == len(is) && len(was) > 1 {
		before, after := texts(was), texts(is)
		if slices.Equal(before, after) {
			return
		}
		slices.Sort(before)
		slices.Sort(after)
		if slices.Equal(before, after) {
			c.add(Reordered, path, general, false, was, is)
			return
		}
	}
	items, inner := element(s, general)
	if extra, ok := missingFrom(was, is); ok {
		for _, i := range extra {
			c.compare(path+"["+strconv.Itoa(i)+"]", inner, items, true, was[i], absent{})
		}
		return
	}
	if extra, ok := missingFrom(is, was); ok {
		for _, i := range extra {
			c.compare(path+"["+strconv.Itoa(i)+"]", inner, items, true, absent{}, is[i])
		}
		return
	}
	for i := range max(len(was), len(is)) {
		c.compare(path+"["+strconv.Itoa(i)+"]", inner, items, true, elementAt(was, i), elementAt(is, i))
	}
}

// missingFrom returns the elements of a long list that a shorter one lacks. ok is false if the
// shorter one has others, or is not shorter, or is empty: the whole list may be lost.
func missingFrom(long, short []any) (missing []int, ok bool) {
	if len(long) <= len(short) || len(short) == 0 {
		return nil, false
	}
	a, b := texts(long), texts(short)
	for i := range a {
		if len(b) > 0 && a[i] == b[0] {
			b = b[1:]
		} else {
			missing = append(missing, i)
		}
	}
	return missing, len(b) == 0
}

func elementAt(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

func texts(list []any) (all []string) {
	for _, v := range list {
		text, _ := json.Marshal(v)
		all = append(all, string(text))
	}
	return all
}

// leaves adds a difference for each innermost value of one that is missing on the other side.
func (c *comparer) leaves(property, path, general string, s *schema.Structural, entry bool, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			child, generalChild := step(s, general, key)
			c.leaves(property, join(path, key), generalChild, child, entry || !named(s, key), v[key])
		}
		if len(v) > 0 {
			return
		}
	case []any:
		items, inner := element(s, general)
		for i, child := range v {
			c.leaves(property, path+"["+strconv.Itoa(i)+"]", inner, items, true, child)
		}
		if len(v) > 0 {
			return
		}
	}
	if property == Added {
		c.add(property, path, general, entry, absent{}, value)
	} else {
		c.add(property, path, general, entry, value, absent{})
	}
}

func (c *comparer) add(property, path, general string, entry bool, was, is any) {
	if len(c.found) < maxDifferences {
		c.found = append(c.found, difference{property, path, general, was, is, hollow(was) && (hollow(is) || isZeroText(is)), entry})
	}
}

// same reports whether an API server treats two decoded values as equal: 1.0 and 1 are. It takes a
// tenth of the time of differences, so callers ask it first: most conversions there and back change
// nothing.
func same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key, value := range x {
			if other, there := y[key]; !there || !same(value, other) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, same)
	case int64:
		if y, ok := b.(float64); ok {
			return y == math.Trunc(y) && math.Abs(y) < 1<<53 && int64(y) == x
		}
	case float64:
		if y, ok := b.(int64); ok {
			return same(y, x)
		}
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// class returns the class of the difference. An entry counts even if its value is empty: its key,
// or the length of the list, is lost.
func (d *difference) class() string {
	if d.hollow && !d.entry {
		return ClassEmpty
	}
	return ClassValue
}

// hollow reports whether a value is absent or empty: the zero value of its type.
func hollow(value any) bool {
	switch v := value.(type) {
	case absent, nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0
	case float64:
		return v == 0
	}
	return EmptyValue(value)
}

// isZeroText reports whether a value is the text that a zero value of metav1.Duration or of
// resource.Quantity has in JSON. Only an added one is as good as empty: a client who writes "0s" may
// mean it.
func isZeroText(value any) bool { return value == "0s" || value == "0" }

// emptyKey returns the key of a symptom without a value that is not empty. It differs from that of
// other symptoms at the path, so that an object never shrinks from one to the other.
func emptyKey(key string) string { return "empty " + key }

// EmptyValue reports whether a value is an object or a list with nothing in it.
func EmptyValue(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}
