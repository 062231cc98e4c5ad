// +groupName=kinds.example.com
package disk

import (
	v1 "example.com/odd/kinds/v1"
	"example.com/odd/meta"
)

type Disk struct {
	meta.TypeMeta
	meta.ObjectMeta
}

func init() { v1.SchemeBuilder.Register(&Disk{}) }

func (*Disk) ConvertTo(hub meta.Hub) error   { return nil }
func (*Disk) ConvertFrom(hub meta.Hub) error { return nil }
