// Package v2 has a version with members that v1 lacks.
package v2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type Pool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PoolSpec   `json:"spec"`
	Status            PoolStatus `json:"status,omitempty"`
}

type PoolSpec struct {
	Mode  Mode     `json:"mode,omitempty"`
	Size  int64    `json:"size,omitempty"`
	Owner Owner    `json:"owner,omitempty"`
	Ports []Port   `json:"ports,omitempty"`
	Zones []string `json:"zones,omitempty"`
}

type Mode string

const (
	ModeLayer2 Mode = "Layer2"
	ModeBGP    Mode = "BGP"
)

type Owner struct {
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

type Port struct {
	Number int32 `json:"number,omitempty"`
	Target int32 `json:"target,omitempty"`
}

type PoolStatus struct {
	Ready bool `json:"ready,omitempty"`
}

func (p *Pool) DeepCopyObject() runtime.Object { c := *p; return &c }

// AddToScheme registers the type.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(schema.GroupVersion{Group: "toy.example.com", Version: "v2"}, &Pool{})
	return nil
}
