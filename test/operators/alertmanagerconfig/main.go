// Command alertmanagerconfig converts AlertmanagerConfig.monitoring.coreos.com with prometheus-operator's own Go code.
package main

import (
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1beta1"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder"
)

func init() {
	kubebuilder.Register(kubebuilder.Kind{
		Hub:    kubebuilder.Hub("monitoring.coreos.com/v1alpha1", &v1alpha1.AlertmanagerConfig{}),
		Spokes: []kubebuilder.Version{kubebuilder.Spoke("monitoring.coreos.com/v1beta1", &v1beta1.AlertmanagerConfig{})},
	})
}

func main() {}
