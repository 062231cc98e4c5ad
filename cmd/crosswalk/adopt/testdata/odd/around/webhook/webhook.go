// Package webhook has the type that main registers for v1.
package webhook

import (
	v1 "example.com/odd/around/v1"
	"example.com/odd/meta"
)

type Thing struct{ v1.Thing }

func (t *Thing) ConvertTo(hub meta.Hub) error { return t.Thing.ConvertTo(hub) }
