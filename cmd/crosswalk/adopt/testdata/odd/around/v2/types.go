// +groupName=around.example.com
package v2

import "example.com/odd/meta"

type Thing struct {
	meta.TypeMeta
	meta.ObjectMeta
	A string
}

func (*Thing) Hub() {}
