// Command kubebuilder is a converter module of the Go types that B1 is made of, as they are.
package main

import (
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder"
	"github.com/crosswalk-gateway/crosswalk/test/bench/crontab"
)

func init() {
	kubebuilder.Register(kubebuilder.Kind{
		Hub:    kubebuilder.Hub(crontab.Group+"/v2", &crontab.V2{}),
		Spokes: []kubebuilder.Version{kubebuilder.Spoke(crontab.Group+"/v1", &crontab.V1{})},
	})
}

func main() {}
