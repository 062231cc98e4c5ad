// Package v2 has the version that is stored.
// +groupName=knative.example.com
package v2

import (
	"context"
	"errors"

	"example.com/operator/api/shared"
)

type Convertible interface {
	ConvertTo(ctx context.Context, to Convertible) error
	ConvertFrom(ctx context.Context, from Convertible) error
}

type Demo struct {
	shared.TypeMeta
	Spec struct{ Size int }
}

func (d *Demo) ConvertTo(ctx context.Context, to Convertible) error {
	return errors.New("v2 is the highest known version")
}

func (d *Demo) ConvertFrom(ctx context.Context, from Convertible) error {
	return errors.New("v2 is the highest known version")
}

// SetDefaults is what knative's webhook calls on each result.
func (d *Demo) SetDefaults(ctx context.Context) {
	if d.Spec.Size == 0 {
		d.Spec.Size = fallback
	}
}

const fallback = 3
