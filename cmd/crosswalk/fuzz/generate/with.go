package generate

import (
	"context"
	"slices"
)

// With returns an object in which the value at a path of the schema, such as spec.users[].name, is
// there; nil if it finds none. Of 8 optional fields, density are there, too.
func (g *Generator) With(ctx context.Context, path string, density int) map[string]any {
	if g.byPath == nil {
		g.byPath = map[string]*node{}
		var walk func(n *node)
		walk = func(n *node) {
			g.byPath[n.path] = n
			for _, child := range append(slices.Clone(n.fields), n.items, n.values) {
				if child != nil {
					walk(child)
				}
			}
		}
		walk(g.root)
	}
	n := g.byPath[path]
	if n == nil {
		return nil
	}
	m := g.newMaker(&goal{node: n, what: "present"})
	m.density = density
	object, _ := m.make(ctx)
	return object
}

// Known returns values that are known for a path of the schema: defaults, those of given objects and of
// CEL rules. With must have been called.
func (g *Generator) Known(path string) []any {
	if n := g.byPath[path]; n != nil {
		return n.words
	}
	return nil
}
