// Command externaljob converts ExternalJob.jobs.testprojects.kb.io, the kind that
// controller-runtime tests its own conversion webhook with, with controller-runtime's own Go code.
package main

import (
	v1 "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api/v1"
	v2 "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api/v2"
	v3 "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api/v3"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder"
)

func init() {
	kubebuilder.Register(kubebuilder.Kind{
		Hub: kubebuilder.Hub(v2.GroupVersion.String(), &v2.ExternalJob{}),
		Spokes: []kubebuilder.Version{
			kubebuilder.Spoke(v1.GroupVersion.String(), &v1.ExternalJob{}),
			kubebuilder.Spoke(v3.GroupVersion.String(), &v3.ExternalJob{}),
		},
	})
}

func main() {}
