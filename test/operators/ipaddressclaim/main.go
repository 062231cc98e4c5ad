// Command ipaddressclaim converts IPAddressClaim.ipam.cluster.x-k8s.io with Cluster API's own Go code.
package main

import (
	"sigs.k8s.io/cluster-api/api/ipam/v1alpha1"
	"sigs.k8s.io/cluster-api/api/ipam/v1beta1"
	"sigs.k8s.io/cluster-api/api/ipam/v1beta2"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder"
)

const group = "ipam.cluster.x-k8s.io/"

func init() {
	kubebuilder.Register(kubebuilder.Kind{
		Hub: kubebuilder.Hub(group+"v1beta2", &v1beta2.IPAddressClaim{}),
		Spokes: []kubebuilder.Version{
			kubebuilder.Spoke(group+"v1beta1", &v1beta1.IPAddressClaim{}),
			kubebuilder.Spoke(group+"v1alpha1", &v1alpha1.IPAddressClaim{}),
		},
	})
}

func main() {}
