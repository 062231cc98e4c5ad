package main

import (
	"os"
	"testing"

	v1 "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api/v1"
	v2 "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api/v2"
	v3 "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api/v3"
	"sigs.k8s.io/randfill"

	"github.com/crosswalk-gateway/crosswalk/test/operators/internal/compare"
)

func TestMain(m *testing.M) { os.Exit(compare.Main(m)) }

func TestExternalJob(t *testing.T) {
	g := v1.GroupVersion.Group
	one, two, three := func() any { return new(v1.ExternalJob) }, func() any { return new(v2.ExternalJob) }, func() any { return new(v3.ExternalJob) }
	up := func(in any) (*v2.ExternalJob, error) {
		hub := new(v2.ExternalJob)
		if in, ok := in.(*v1.ExternalJob); ok {
			return hub, in.ConvertTo(hub)
		}
		return hub, in.(*v3.ExternalJob).ConvertTo(hub)
	}
	// PanicInConversion makes the conversion panic, which is a crash of the module and not an answer to compare.
	never := func(b *bool, _ randfill.Continue) { *b = false }
	compare.Run(t, compare.Config{
		Module: "ExternalJob." + g + "_v1_v2_v3.wasm", Kind: "ExternalJob", Count: 200, Fill: append(compare.Kubernetes(), never),
		Edges: []compare.Edge{
			{From: g + "/v1", To: g + "/v2", Source: one, Convert: func(in any) (any, error) { return up(in) }},
			{From: g + "/v3", To: g + "/v2", Source: three, Convert: func(in any) (any, error) { return up(in) }},
			{From: g + "/v2", To: g + "/v1", Source: two, Convert: func(in any) (any, error) {
				out := new(v1.ExternalJob)
				return out, out.ConvertFrom(in.(*v2.ExternalJob))
			}},
			{From: g + "/v2", To: g + "/v3", Source: two, Convert: func(in any) (any, error) {
				out := new(v3.ExternalJob)
				return out, out.ConvertFrom(in.(*v2.ExternalJob))
			}},
			{From: g + "/v1", To: g + "/v3", Source: one, Convert: func(in any) (any, error) {
				hub, err := up(in)
				if err != nil {
					return nil, err
				}
				out := new(v3.ExternalJob)
				return out, out.ConvertFrom(hub)
			}},
			{From: g + "/v3", To: g + "/v1", Source: three, Convert: func(in any) (any, error) {
				hub, err := up(in)
				if err != nil {
					return nil, err
				}
				out := new(v1.ExternalJob)
				return out, out.ConvertFrom(hub)
			}},
		},
	})
}
