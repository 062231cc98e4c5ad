package compat

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// NeedsConversion returns why objects of some versions of a definition need a conversion: a change that
// breaks an object of one version that becomes an object of another with strategy None, where the API
// server changes apiVersion and nothing else. It is nil if the versions have one schema that names the
// fields of objects.
//
// The error is that of ctx.
func NeedsConversion(ctx context.Context, d *crd, versions []string) (*Change, error) {
	c := &comparison{ctx: ctx, old: d, new: d}
	for _, from := range versions {
		for _, to := range versions {
			if from == to {
				continue
			}
			worst := c.between(find(d, from), find(d, to))
			if worst == nil {
				worst = c.unsaid(find(d, from))
			}
			if worst != nil {
				worst.Version, worst.To = from, to
				return worst, ctx.Err()
			}
		}
	}
	return nil, ctx.Err()
}

// unsaid returns the object whose fields the schema of a version does not name, or one of its members:
// equal schemas then do not show that the versions have the same fields. It is nil if there is none.
func (c *comparison) unsaid(v *version) *Change {
	if v == nil {
		return nil
	}
	root := schemaOf(c.old, v)
	says := func(s *props) bool { return !keeps(s) || len(s.Properties) > 0 }
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		if s := root.Properties[name]; !says(&s) {
			return &Change{Path: name, Rule: "field-unspecified", Class: BreaksObjects, Text: fmt.Sprintf("the schema of %s names no field of it", v.Name)}
		}
	}
	if !says(root) {
		return &Change{Rule: "field-unspecified", Class: BreaksObjects, Text: fmt.Sprintf("the schema of %s names no field", v.Name)}
	}
	return nil
}
