// Package v3 has the version that is stored, without a member for data.
// +groupName=events.example.com
package v3

import (
	"context"
	"errors"

	"example.com/operator/api/shared"
)

type Convertible interface {
	ConvertTo(ctx context.Context, to Convertible) error
	ConvertFrom(ctx context.Context, from Convertible) error
}

type Event struct {
	shared.TypeMeta
	Spec struct{ Type string }
}

func (e *Event) ConvertTo(ctx context.Context, to Convertible) error {
	return errors.New("v3 is the highest known version")
}

func (e *Event) ConvertFrom(ctx context.Context, from Convertible) error {
	return errors.New("v3 is the highest known version")
}
