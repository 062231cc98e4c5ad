// Package internalversion has a type that no API server serves.
package internalversion

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var SchemeGroupVersion = schema.GroupVersion{Group: "scheme.example.com", Version: runtime.APIVersionInternal}

type Disk struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Size int
}
