// Package v1 has the version that conversions belong to.
// +groupName=knative.example.com
package v1

import (
	"context"
	"fmt"

	"example.com/operator/api/shared"
	v2 "example.com/operator/knative/v2"
)

type Demo struct {
	shared.TypeMeta
	Spec struct{ Length int }
}

func (d *Demo) ConvertTo(ctx context.Context, to v2.Convertible) error {
	hub, ok := to.(*v2.Demo)
	if !ok {
		return fmt.Errorf("unknown version, got: %T", to)
	}
	hub.Spec.Size = d.Spec.Length
	return nil
}

func (d *Demo) ConvertFrom(ctx context.Context, from v2.Convertible) error {
	hub, ok := from.(*v2.Demo)
	if !ok {
		return fmt.Errorf("unknown version, got: %T", from)
	}
	d.Spec.Length = hub.Spec.Size
	return nil
}

// SetDefaults has no context, so that knative does not know it.
func (d *Demo) SetDefaults() {}
