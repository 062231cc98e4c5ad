package adopttest

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// firstDifference returns the first place, by names, at which two decoded values differ.
func firstDifference(module, want any, path string) *Difference {
	if m, ok := module.(map[string]any); ok {
		if w, ok := want.(map[string]any); ok {
			names := sortedKeys(m)
			for name := range w {
				if _, ok := m[name]; !ok {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			for _, name := range names {
				there, in := m[name]
				wanted, of := w[name]
				at := member(path, name)
				switch {
				case !in:
					return &Difference{Path: at, Module: absent, Want: shown(wanted)}
				case !of:
					return &Difference{Path: at, Module: shown(there), Want: absent}
				}
				if d := firstDifference(there, wanted, at); d != nil {
					return d
				}
			}
			return nil
		}
	}
	if m, ok := module.([]any); ok {
		if w, ok := want.([]any); ok && len(m) == len(w) {
			for i := range m {
				if d := firstDifference(m[i], w[i], fmt.Sprintf("%s[%d]", path, i)); d != nil {
					return d
				}
			}
			return nil
		}
	}
	if reflect.DeepEqual(module, want) {
		return nil
	}
	return &Difference{Path: path, Module: shown(module), Want: shown(want)}
}

// absent stands for the value of a member that is not there.
const absent = "absent"

func shown(v any) string { return shorten(string(encode(v)), 300) }

var plainName = regexp.MustCompile(`^[\w-]+$`)

// member returns the path of a member.
func member(path, name string) string {
	switch {
	case path == "":
		return name
	case plainName.MatchString(name):
		return path + "." + name
	}
	return fmt.Sprintf("%s[%q]", path, name)
}

var elementNumber = regexp.MustCompile(`\[\d+\]`)

// place returns a path without the numbers of elements.
func place(path string) string { return elementNumber.ReplaceAllString(path, "[]") }

// unordered returns a copy of a decoded value with the elements of each list in one order.
func unordered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		o := map[string]any{}
		for name, value := range v {
			o[name] = unordered(value)
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = unordered(e)
		}
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(string(encode(a)), string(encode(b))) })
		return list
	}
	return v
}
