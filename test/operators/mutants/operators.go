package main

import "github.com/crosswalk-gateway/crosswalk/test/operators/list"

// operator is an operator with a conversion to attack.
type operator struct {
	list.Operator
	source string // the directory of the operator's module, if the proxy does not have it
}

// label names the kind among the attacked ones, in which a kind occurs with two forms.
func (o operator) label() string {
	if o.Form == list.Converter {
		return o.Kind + " " + o.Version
	}
	return o.Kind
}

// operators returns the attacked operators: of each form of conversion, with code that is written by
// hand and code that conversion-gen wrote, and without state of main.
func operators() (attacked []operator) {
	kinds := map[string]bool{
		"controller-runtime v0.22.3 ExternalJob": true, "MetalLB v0.16.2 BGPPeer": true, "external-secrets v0.9.20 ExternalSecret": true,
		"Cluster API v1.11.5 IPAddressClaim": true, "prometheus-operator v0.88.0 AlertmanagerConfig": true, "Kueue v0.15.0 ClusterQueue": true,
		"Cluster API v1.14.2 IPAddressClaim": true, "Knative Eventing v0.43.0 EventType": true, "Shipwright v0.15.0 BuildStrategy": true,
	}
	for _, o := range list.All() {
		if kinds[o.Name+" "+o.Version+" "+o.Kind] {
			attacked = append(attacked, operator{Operator: o})
		}
	}
	return attacked
}
