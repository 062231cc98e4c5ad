// Package variable makes a converter in two steps.
package variable

import (
	"context"

	v1 "example.com/converters/api/v1"
	v2 "example.com/converters/api/v2"
	"example.com/converters/sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

func setUp() {
	spokes := []conversion.SpokeConverter[*v2.Variable]{conversion.NewSpokeConverter(&v1.Variable{}, toV1, toHub)}
	conversion.NewHubSpokeConverter(&v2.Variable{}, spokes...)
}

func toV1(ctx context.Context, src *v2.Variable, dst *v1.Variable) error  { return nil }
func toHub(ctx context.Context, src *v1.Variable, dst *v2.Variable) error { return nil }
