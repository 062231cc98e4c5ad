package v1

import (
	"context"

	"example.com/operator/api/shared"
	v2 "example.com/operator/state/v2"
)

type key struct{}

// WithName is called by main.
func WithName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, key{}, name)
}

func name(ctx context.Context) string { return ctx.Value(key{}).(string) }

type Contextual struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Contextual) ConvertTo(ctx context.Context, to any) error {
	to.(*v2.Contextual).Spec.A = s.Spec.A + name(ctx)
	return nil
}

func (s *Contextual) ConvertFrom(ctx context.Context, from any) error {
	s.Spec.A = from.(*v2.Contextual).Spec.A
	return nil
}
