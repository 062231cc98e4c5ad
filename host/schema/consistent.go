package schema

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// consistent checks that a schema does not contradict itself, and compiles its pattern.
func (r *reader) consistent(d *definition, pattern string) error {
	if d.kind != "" && !slices.Contains([]string{"array", "boolean", "integer", "number", "object", "string"}, d.kind) {
		return r.within(".type", func() error {
			return r.fail("must be array, boolean, integer, number, object or string, not %q", foreign.Shorten(d.kind, maxName))
		})
	}
	if d.intOrString && d.kind != "" {
		return r.within(".type", func() error { return r.fail("must not be there beside x-kubernetes-int-or-string") })
	}
	if d.multipleOf != nil && *d.multipleOf <= 0 {
		return r.within(".multipleOf", func() error { return r.fail("must be more than 0") })
	}
	if pattern != "" {
		_ = r.within(".pattern", func() error {
			compiled, size, over, broken := r.pattern(pattern)
			switch {
			case over != nil:
				r.skipped("%v", over)
			case broken != nil:
				r.warn("is not a regular expression, so nothing is checked against it: %s", foreign.Shorten(broken.Error(), maxRule))
			}
			d.pattern, d.patternSize = compiled, size
			return nil
		})
	}
	d.checks = r.format(d)
	return r.list(d)
}

// maxListKeys is how many keys a list map may have. Each is looked up among the properties, and for
// each element; the most known is 3.
const maxListKeys = 64

// list checks the keywords that make an array a set or a map.
func (r *reader) list(d *definition) error {
	switch d.listType {
	case "", "atomic", "set":
		return nil
	case "map":
	default:
		return r.within(".x-kubernetes-list-type", func() error {
			return r.fail("must be atomic, set or map, not %q", foreign.Shorten(d.listType, maxName))
		})
	}
	return r.within(".x-kubernetes-list-map-keys", func() error {
		if len(d.listKeys) == 0 {
			return r.fail("is required where x-kubernetes-list-type is map")
		}
		if n := len(d.listKeys); n > maxListKeys {
			return r.fail("has %d keys, of at most %d", n, maxListKeys)
		}
		for i, key := range d.listKeys {
			if d.items == nil || d.items.property(key) == nil {
				return r.fail("%q is not a property of the items", foreign.Shorten(key, maxName))
			}
			if slices.Contains(d.listKeys[:i], key) {
				return r.fail("%q is there twice", foreign.Shorten(key, maxName))
			}
		}
		return nil
	})
}
