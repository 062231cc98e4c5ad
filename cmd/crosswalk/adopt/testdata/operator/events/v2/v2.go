// Package v2 has the version between the others.
// +groupName=events.example.com
package v2

import (
	"context"
	"errors"

	"example.com/operator/api/shared"
	v3 "example.com/operator/events/v3"
)

type Event struct {
	shared.TypeMeta
	Spec struct{ Type, Data string }
}

func (e *Event) ConvertTo(ctx context.Context, to v3.Convertible) error {
	if hub, ok := to.(*v3.Event); ok {
		hub.Spec.Type = e.Spec.Type
		return nil
	}
	return errors.New("unknown version")
}

func (e *Event) ConvertFrom(ctx context.Context, from v3.Convertible) error {
	if hub, ok := from.(*v3.Event); ok {
		e.Spec.Type = hub.Spec.Type
		return nil
	}
	return errors.New("unknown version")
}
