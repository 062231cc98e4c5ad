package main

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"sigs.k8s.io/cluster-api/core/webhooks/conversion"
)

// SetUp sets the version of the objects that a Machine or a Cluster refers to. Cluster API's main asks
// the API server for the version in the label of the contract on each definition; name the versions
// of your providers here.
func SetUp() {
	conversion.SetAPIVersionGetter(func(_ context.Context, gk schema.GroupKind) (string, error) {
		if gk.Group == "" || gk.Kind == "" {
			return "", errors.New("no definition without a group or a kind")
		}
		return schema.GroupVersion{Group: gk.Group, Version: "v1beta1"}.String(), nil
	})
}
