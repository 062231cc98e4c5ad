// Package adopt tests crosswalk adopt with operators whose packages the Go proxy has.
package adopt

// These keep the operators' modules in go.mod.
import (
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1beta1"
	_ "sigs.k8s.io/cluster-api/api/ipam/v1alpha1"
	_ "sigs.k8s.io/cluster-api/api/ipam/v1beta1"
	_ "sigs.k8s.io/cluster-api/api/ipam/v1beta2"
	_ "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api/v1"
)
