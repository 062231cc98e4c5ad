// Package shrink makes objects smaller while they keep a property.
package shrink

import (
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// Object returns a smaller object that still has a property, after at most so many tests of smaller
// ones. keeps returns the object as it would be stored, or nil if it does not have the property. It
// may change its argument. Object does not change its own.
//
// It removes members and elements, large ones first. With scalars, it halves long lists before, and
// then shortens strings and lowers numbers.
func Object(object map[string]any, tests int, scalars bool, keeps func(map[string]any) map[string]any) map[string]any {
	s := &shrinker{best: copied(object), left: tests, scalars: scalars, keeps: keeps}
	s.size = sizeOf(s.best)
	if scalars {
		s.halve()
	}
	for s.round() && s.left > 0 {
	}
	return s.best
}

type shrinker struct {
	best    map[string]any
	size    size
	left    int // tests; changes of an object with many values cost some, too
	scalars bool
	keeps   func(map[string]any) map[string]any
}

// size orders objects: by the number of values, then by the length of their text.
type size struct{ values, bytes int }

func (a size) less(b size) bool {
	return a.values < b.values || a.values == b.values && a.bytes < b.bytes
}

func sizeOf(object map[string]any) size {
	text, _ := json.Marshal(object)
	return size{Count(object), len(text)}
}

// Count counts a value and all those within it.
func Count(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			n += Count(child)
		}
	case []any:
		for _, child := range v {
			n += Count(child)
		}
	}
	return n
}

// round tries each way to make the object smaller once. It returns true if one succeeded.
func (s *shrinker) round() bool {
	before := s.size
	for depth := 1; depth < maxDepth; depth++ {
		if !s.remove(depth) {
			break
		}
	}
	if s.scalars {
		s.simplify()
	}
	return s.size.less(before)
}

// maxDepth is how deep members are removed one by one: as deep as schemas nest values.
const maxDepth = 64

// Path leads to a value: member names and indices.
type Path []any

// Leaves returns the paths of the innermost values of an object.
func Leaves(object map[string]any) (all []Path) {
	for depth := 1; depth < maxDepth; depth++ {
		paths := pathsAt(object, depth)
		for _, p := range paths {
			value, _ := At(object, p)
			if Count(value) == 1 {
				all = append(all, p)
			}
		}
		if len(paths) == 0 {
			break
		}
	}
	return all
}

// Set replaces the value at a path.
func Set(object map[string]any, p Path, value any) { edit(object, p, value, false) }

// Remove removes the value at a path.
func Remove(object map[string]any, p Path) { edit(object, p, nil, true) }

// longList is how many elements are more than can be removed one by one.
const longList = 100

// halve removes one half of each long list, as often as the property stays.
func (s *shrinker) halve() {
	for depth := 1; depth < maxDepth; depth++ {
		for _, p := range pathsAt(s.best, depth) {
			for s.keepHalf(p, 0) || s.keepHalf(p, 1) {
			}
		}
	}
}

func (s *shrinker) keepHalf(p Path, half int) bool {
	return s.try(func(object map[string]any) bool {
		value, _ := At(object, p)
		list, _ := value.([]any)
		middle := len(list) / 2
		return len(list) > longList && edit(object, p, [][]any{list[:middle], list[middle:]}[half], false)
	})
}

// remove tries to remove each value of a depth. It returns false if there is none.
func (s *shrinker) remove(depth int) bool {
	all := pathsAt(s.best, depth)
	for i := len(all) - 1; i >= 0; i-- { // later elements of a list first, so that the indices of others stay
		p := all[i]
		if depth == 1 && (p[0] == "apiVersion" || p[0] == "kind") || depth == 2 && p[0] == "metadata" && p[1] == "name" {
			continue
		}
		s.try(func(object map[string]any) bool { return edit(object, p, nil, true) })
	}
	return len(all) > 0
}

// simplify tries simpler scalars.
func (s *shrinker) simplify() {
	for depth := 2; depth < maxDepth; depth++ {
		all := pathsAt(s.best, depth)
		if len(all) == 0 {
			return
		}
		for _, p := range all {
			if p[0] == "metadata" && len(p) == 2 {
				continue
			}
			value, ok := At(s.best, p)
			if !ok {
				continue
			}
			for _, simpler := range simpler(value) {
				if s.try(func(object map[string]any) bool { return edit(object, p, simpler, false) }) {
					break
				}
			}
		}
	}
}

// simpler returns simpler values of the same type, the simplest first.
func simpler(value any) []any {
	switch v := value.(type) {
	case string:
		list := []any{"", "a"}
		if r := []rune(v); len(r) > 2 {
			list = append(list, string(r[:len(r)/2]), string(r[:len(r)-1]), string(r[1:]))
		}
		return list
	case int64:
		return []any{int64(0), int64(1), v / 2}
	case float64:
		return []any{int64(0), int64(1), 0.5}
	}
	return nil
}

// try makes a change, and keeps it if the object is smaller and still has the property.
func (s *shrinker) try(change func(map[string]any) bool) bool {
	if s.left <= 0 {
		return false
	}
	s.left -= s.size.values / 2_000
	candidate := copied(s.best)
	if !change(candidate) || !sizeOf(candidate).less(s.size) {
		return false
	}
	s.left--
	kept := s.keeps(candidate)
	if kept == nil {
		return false
	}
	now := sizeOf(kept)
	if !now.less(s.size) {
		return false
	}
	s.best, s.size = copied(kept), now
	return true
}

// pathsAt returns the paths of all values at a depth, in the order of their keys.
func pathsAt(object map[string]any, depth int) (all []Path) {
	var walk func(v any, at Path)
	walk = func(v any, at Path) {
		if len(at) == depth {
			all = append(all, slices.Clone(at))
			return
		}
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(v[key], append(at, key))
			}
		case []any:
			for i, child := range v {
				walk(child, append(at, i))
			}
		}
	}
	walk(object, nil)
	return all
}

// At returns the value at a path; false if there is none.
func At(v any, p Path) (any, bool) {
	for _, step := range p {
		switch into := v.(type) {
		case map[string]any:
			key, _ := step.(string)
			child, ok := into[key]
			if !ok {
				return nil, false
			}
			v = child
		case []any:
			i, ok := step.(int)
			if !ok || i >= len(into) {
				return nil, false
			}
			v = into[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// edit removes or replaces the value at a path. It returns false if there is none.
func edit(object map[string]any, p Path, value any, remove bool) bool {
	into, ok := At(object, p[:len(p)-1])
	if !ok {
		return false
	}
	switch last := p[len(p)-1].(type) {
	case string:
		m, ok := into.(map[string]any)
		if _, there := m[last]; !ok || !there {
			return false
		}
		if remove {
			delete(m, last)
		} else {
			m[last] = value
		}
	case int:
		list, ok := into.([]any)
		if !ok || last >= len(list) {
			return false
		}
		if !remove {
			list[last] = value
			return true
		}
		return edit(object, p[:len(p)-1], append(append(make([]any, 0, len(list)), list[:last]...), list[last+1:]...), false)
	}
	return true
}

func copied(object map[string]any) map[string]any { return runtime.DeepCopyJSON(object) }
