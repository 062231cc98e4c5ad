package main

import (
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"

	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
)

// SetUp sets the version of the objects that a Machine or a Cluster refers to. Cluster API's main asks
// the API server for the version in the label of the contract on each definition; name the versions
// of your providers here.
func SetUp() {
	clusterv1beta1.SetAPIVersionGetter(func(gk schema.GroupKind) (string, error) {
		if gk.Group == "" || gk.Kind == "" {
			return "", errors.New("no definition without a group or a kind")
		}
		return schema.GroupVersion{Group: gk.Group, Version: "v1beta1"}.String(), nil
	})
}
