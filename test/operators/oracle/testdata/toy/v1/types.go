// Package v1 has the hub.
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v2 "example.com/toy/v2"
)

type Pool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PoolSpec      `json:"spec"`
	Status            v2.PoolStatus `json:"status,omitempty"`
}

type PoolSpec struct {
	Protocol Protocol  `json:"protocol,omitempty"`
	Replicas int64     `json:"replicas,omitempty"`
	Owner    string    `json:"owner,omitempty"`
	Ports    []v2.Port `json:"ports,omitempty"`
}

type Protocol string

const (
	Layer2 Protocol = "layer2"
	BGP    Protocol = "bgp"
)

func (p *Pool) DeepCopyObject() runtime.Object { c := *p; return &c }

// AddToScheme registers the type.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(schema.GroupVersion{Group: "toy.example.com", Version: "v1"}, &Pool{})
	return nil
}
