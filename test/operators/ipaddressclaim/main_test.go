package main

import (
	"os"
	"testing"

	"sigs.k8s.io/cluster-api/api/ipam/v1alpha1"
	"sigs.k8s.io/cluster-api/api/ipam/v1beta1"
	"sigs.k8s.io/cluster-api/api/ipam/v1beta2"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/test/operators/internal/compare"
)

func TestMain(m *testing.M) { os.Exit(compare.Main(m)) }

func TestIPAddressClaim(t *testing.T) {
	hub := func() any { return new(v1beta2.IPAddressClaim) }
	compare.Run(t, compare.Config{
		Module: "IPAddressClaim.ipam.cluster.x-k8s.io_v1beta2_v1beta1_v1alpha1.wasm", Kind: "IPAddressClaim", Count: 200,
		Fill: compare.Kubernetes(),
		// Cluster API's packages import half of Kubernetes.
		Limits: module.Limits{ModuleBytes: 96 << 20, VetMemory: 2 << 30},
		Edges: []compare.Edge{
			{From: group + "v1alpha1", To: group + "v1beta2", Source: func() any { return new(v1alpha1.IPAddressClaim) }, Convert: func(in any) (any, error) {
				out := new(v1beta2.IPAddressClaim)
				return out, in.(*v1alpha1.IPAddressClaim).ConvertTo(out)
			}},
			{From: group + "v1beta2", To: group + "v1alpha1", Source: hub, Convert: func(in any) (any, error) {
				out := new(v1alpha1.IPAddressClaim)
				return out, out.ConvertFrom(in.(*v1beta2.IPAddressClaim))
			}},
			{From: group + "v1beta1", To: group + "v1beta2", Source: func() any { return new(v1beta1.IPAddressClaim) }, Convert: func(in any) (any, error) {
				out := new(v1beta2.IPAddressClaim)
				return out, in.(*v1beta1.IPAddressClaim).ConvertTo(out)
			}},
			{From: group + "v1beta2", To: group + "v1beta1", Source: hub, Convert: func(in any) (any, error) {
				out := new(v1beta1.IPAddressClaim)
				return out, out.ConvertFrom(in.(*v1beta2.IPAddressClaim))
			}},
			{From: group + "v1beta1", To: group + "v1alpha1", Source: func() any { return new(v1beta1.IPAddressClaim) }, Convert: func(in any) (any, error) {
				between, out := new(v1beta2.IPAddressClaim), new(v1alpha1.IPAddressClaim)
				if err := in.(*v1beta1.IPAddressClaim).ConvertTo(between); err != nil {
					return nil, err
				}
				return out, out.ConvertFrom(between)
			}},
		},
	})
}
