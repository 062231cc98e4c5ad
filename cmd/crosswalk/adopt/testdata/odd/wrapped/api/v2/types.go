// +groupName=wrapped.example.com
package v2

import "example.com/odd/meta"

type Thing struct {
	meta.TypeMeta
	meta.ObjectMeta
}
