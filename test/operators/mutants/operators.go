package main

// operator is a kind of an operator whose packages the Go proxy has.
type operator struct {
	name, version string
	path          string // of the packages, before the versions
	versions      []string
	kind          string
	source        string // the directory of the operator's module, if the proxy does not have it
}

// operators returns the attacked operators: each form of conversion, with code that is written by
// hand and code that conversion-gen wrote.
func operators() []operator {
	return []operator{
		{"controller-runtime", "v0.22.3", "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api", []string{"v1", "v2", "v3"}, "ExternalJob", ""},
		{"MetalLB", "v0.16.2", "go.universe.tf/metallb/api", []string{"v1beta1", "v1beta2"}, "BGPPeer", ""},
		{"external-secrets", "v0.9.20", "github.com/external-secrets/external-secrets/apis/externalsecrets", []string{"v1alpha1", "v1beta1"}, "ExternalSecret", ""},
		{"Cluster API", "v1.11.5", "sigs.k8s.io/cluster-api/api/ipam", []string{"v1alpha1", "v1beta1", "v1beta2"}, "IPAddressClaim", ""},
		{"prometheus-operator", "v0.88.0", "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring", []string{"v1alpha1", "v1beta1"}, "AlertmanagerConfig", ""},
		{"Kueue", "v0.15.0", "sigs.k8s.io/kueue/apis/kueue", []string{"v1beta1", "v1beta2"}, "ClusterQueue", ""},
	}
}
