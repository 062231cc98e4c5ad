// Set-up code for crosswalk adopt of Cluster API v1.11's kinds.
package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
)

// apiVersions are the versions of the resources that a cluster's references name, by group. Cluster
// API's main asks the API server for the definition, and takes its newest version with the contract's
// label. A module has no API server: list the groups of the providers in your clusters.
var apiVersions = map[string]string{
	"addons.cluster.x-k8s.io":         "v1beta2",
	"bootstrap.cluster.x-k8s.io":      "v1beta2",
	"cluster.x-k8s.io":                "v1beta2",
	"controlplane.cluster.x-k8s.io":   "v1beta2",
	"infrastructure.cluster.x-k8s.io": "v1beta2", // of the AWS provider; v1beta1 of vSphere's
}

// SetUp does what setupWebhooks in Cluster API's main does.
func SetUp() {
	clusterv1beta1.SetAPIVersionGetter(func(gk schema.GroupKind) (string, error) {
		if v := apiVersions[gk.Group]; v != "" {
			return schema.GroupVersion{Group: gk.Group, Version: v}.String(), nil
		}
		return "", fmt.Errorf("the version of %s is not in setup.go", gk)
	})
}
