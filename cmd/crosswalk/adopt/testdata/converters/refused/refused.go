// Package refused makes converters that need the running operator.
package refused

import (
	"context"

	v1 "example.com/converters/api/v1"
	v2 "example.com/converters/api/v2"
	"example.com/converters/sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

type client struct{ namespace string }

func (c client) toHub(_ context.Context, src *v1.Method, dst *v2.Method) error {
	dst.New = c.namespace
	return nil
}

func (c client) toV1(_ context.Context, src *v2.Method, dst *v1.Method) error { return nil }

func setUp(c client, value func(ctx context.Context, src *v1.Value, dst *v2.Value) error) {
	conversion.NewHubSpokeConverter(&v2.Captured{}, conversion.NewSpokeConverter(&v1.Captured{},
		func(ctx context.Context, src *v2.Captured, dst *v1.Captured) error { return nil },
		func(ctx context.Context, src *v1.Captured, dst *v2.Captured) error {
			dst.New = c.namespace
			return nil
		}))
	conversion.NewHubSpokeConverter(&v2.Method{}, conversion.NewSpokeConverter(&v1.Method{}, c.toV1, c.toHub))
	conversion.NewHubSpokeConverter(&v2.Value{}, conversion.NewSpokeConverter(&v1.Value{}, valueToV1, value))
}

func valueToV1(ctx context.Context, src *v2.Value, dst *v1.Value) error { return nil }
