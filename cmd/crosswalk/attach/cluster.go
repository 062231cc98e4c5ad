// Package attach connects CustomResourceDefinitions in a cluster to the gateway. It writes
// spec.conversion, after a test of the gateway with the very same configuration, removes it again,
// and explains why conversions fail. It reads and writes through an API server only: the gateway
// is reached through port forwarding, so nothing but a kubeconfig is needed.
package attach

import (
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Cluster is an API server. It is safe for concurrent use. Its own methods change definitions, and it reads
// them and their objects.
type Cluster struct {
	reader
	Probe    examiner // tests of the gateway with a definition's objects
	Policies enforcer // admission policies of attach --convertible
}

// ForClient returns a Cluster for a client of an API server. Without a configuration it has no port
// forwarding: it is for Direct tests of a gateway, or for URLs.
func ForClient(client dynamic.Interface) *Cluster { return newCluster(client, nil) }

// NewCluster returns a client for the API server of a configuration. Each request ends with its Timeout,
// by default two minutes, or if the answer has more than 256 MiB.
func NewCluster(config *rest.Config) (*Cluster, error) {
	config = withBounds(config)
	if config.QPS == 0 {
		config.QPS, config.Burst = 50, 100 // the default of 5 requests a second is for controllers
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return newCluster(client, config), nil
}

func newCluster(client dynamic.Interface, config *rest.Config) *Cluster {
	r := reader{client, config}
	return &Cluster{r, examiner{reader: r}, enforcer{client}}
}
