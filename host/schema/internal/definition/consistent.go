package definition

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/format"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// consistent checks that a schema does not contradict itself, and compiles its pattern.
func (s *schemas) consistent(d *Schema, pattern string) error {
	if d.Type != "" && !slices.Contains([]string{"array", "boolean", "integer", "number", "object", "string"}, d.Type) {
		return s.within(".type", func() error {
			return s.fail("must be array, boolean, integer, number, object or string, not %q", foreign.Shorten(d.Type, MaxName))
		})
	}
	if d.IntOrString && d.Type != "" {
		return s.within(".type", func() error { return s.fail("must not be there beside x-kubernetes-int-or-string") })
	}
	if d.MultipleOf != nil && *d.MultipleOf <= 0 {
		return s.within(".multipleOf", func() error { return s.fail("must be more than 0") })
	}
	if pattern != "" {
		_ = s.within(".pattern", func() error {
			compiled, size, over, broken := s.pattern(pattern)
			switch {
			case over != nil:
				s.skipped("%v", over)
			case broken != nil:
				s.warn("is not a regular expression, so nothing is checked against it: %s", foreign.Shorten(broken.Error(), MaxRule))
			}
			d.Pattern, d.PatternSize = compiled, size
			return nil
		})
	}
	d.Check = s.format(d)
	return s.listRules(d)
}

// format returns the check of the format that a schema asks of strings; nil if there is no format,
// or an unknown one. Formats apply to strings, and to schemas without a type. The schemas of a
// definition share formats, because some have a regular expression.
func (s *schemas) format(d *Schema) *format.Format {
	if d.Format == "" || d.Type != "" && d.Type != "string" {
		return nil
	}
	f, known := s.formats[d.Format]
	if !known {
		if f = format.Named(d.Format); f != nil {
			s.formats[d.Format] = f
		}
	}
	return f
}

// maxListKeys is how many keys a list map may have. Each is looked up among the properties, and for
// each element; the most known is 3.
const maxListKeys = 64

// listRules checks the keywords that make an array a set or a map.
func (s *schemas) listRules(d *Schema) error {
	switch d.ListType {
	case "", "atomic", "set":
		return nil
	case "map":
	default:
		return s.within(".x-kubernetes-list-type", func() error {
			return s.fail("must be atomic, set or map, not %q", foreign.Shorten(d.ListType, MaxName))
		})
	}
	return s.within(".x-kubernetes-list-map-keys", func() error {
		if len(d.ListKeys) == 0 {
			return s.fail("is required where x-kubernetes-list-type is map")
		}
		if n := len(d.ListKeys); n > maxListKeys {
			return s.fail("has %d keys, of at most %d", n, maxListKeys)
		}
		for i, key := range d.ListKeys {
			if d.Items == nil || d.Items.property(key) == nil {
				return s.fail("%q is not a property of the items", foreign.Shorten(key, MaxName))
			}
			if slices.Contains(d.ListKeys[:i], key) {
				return s.fail("%q is there twice", foreign.Shorten(key, MaxName))
			}
		}
		return nil
	})
}
