package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1beta1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/randfill"

	"github.com/crosswalk-gateway/crosswalk/test/operators/internal/compare"
)

func TestMain(m *testing.M) { os.Exit(compare.Main(m)) }

func TestAlertmanagerConfig(t *testing.T) {
	// Routes within routes are JSON, of the version that they are in.
	inner := func(v *apiextensions.JSON, c randfill.Continue) {
		route := map[string]any{"receiver": c.String(5), "groupWait": "30s"}
		if c.Bool() {
			route["routes"] = []any{map[string]any{"receiver": c.String(5), "continue": c.Bool()}}
		}
		v.Raw, _ = json.Marshal(route)
	}
	const alpha, beta = "monitoring.coreos.com/v1alpha1", "monitoring.coreos.com/v1beta1"
	compare.Run(t, compare.Config{
		Module: "AlertmanagerConfig.monitoring.coreos.com_v1alpha1_v1beta1.wasm", Kind: "AlertmanagerConfig", Count: 200,
		Fill: append(compare.Kubernetes(), inner),
		Edges: []compare.Edge{
			{From: beta, To: alpha, Source: func() any { return new(v1beta1.AlertmanagerConfig) }, Convert: func(in any) (any, error) {
				out := new(v1alpha1.AlertmanagerConfig)
				return out, in.(*v1beta1.AlertmanagerConfig).ConvertTo(out)
			}},
			{From: alpha, To: beta, Source: func() any { return new(v1alpha1.AlertmanagerConfig) }, Convert: func(in any) (any, error) {
				out := new(v1beta1.AlertmanagerConfig)
				return out, out.ConvertFrom(in.(*v1alpha1.AlertmanagerConfig))
			}},
		},
	})
}
