package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
)

// SetUp sets the version of the objects that a Machine or a Cluster refers to. Cluster API's main asks
// the API server for the version in the label of the contract on each definition; name the versions
// of your providers here.
func SetUp() {
	clusterv1beta1.SetAPIVersionGetter(func(gk schema.GroupKind) (string, error) {
		return schema.GroupVersion{Group: gk.Group, Version: "v1beta1"}.String(), nil
	})
}
