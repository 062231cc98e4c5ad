// +groupName=kinds.example.com
package disk

import (
	"example.com/odd/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

type Disk struct {
	meta.TypeMeta
	meta.ObjectMeta
}

func AddToScheme(s *runtime.Scheme) {
	s.AddKnownTypes(runtime.GroupVersion{Group: "kinds.example.com", Version: "v2"}, new(Disk))
}

func (*Disk) Hub() {}
