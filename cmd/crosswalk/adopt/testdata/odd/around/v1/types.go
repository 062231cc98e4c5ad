// +groupName=around.example.com
package v1

import "example.com/odd/meta"

type Thing struct {
	meta.TypeMeta
	meta.ObjectMeta
	A string
}

func (t *Thing) ConvertTo(hub meta.Hub) error   { return nil }
func (t *Thing) ConvertFrom(hub meta.Hub) error { return nil }
