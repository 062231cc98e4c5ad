// +groupName=wrapped.example.com
package v1

import (
	"example.com/odd/meta"
	v1 "example.com/odd/wrapped/api/v1"
)

type Thing struct{ v1.Thing }

func (*Thing) ConvertTo(hub meta.Hub) error   { return nil }
func (*Thing) ConvertFrom(hub meta.Hub) error { return nil }
