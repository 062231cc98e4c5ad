// Package v1 has the hub of the webhook. Between v1 and v2 it keeps the data, which v3 lacks.
// +groupName=events.example.com
package v1

import (
	"context"

	"example.com/operator/api/shared"
	v2 "example.com/operator/events/v2"
	v3 "example.com/operator/events/v3"
)

type Event struct {
	shared.TypeMeta
	Spec struct{ Type, Data string }
}

func (e *Event) ConvertTo(ctx context.Context, to v3.Convertible) error {
	switch sink := to.(type) {
	case *v2.Event:
		sink.Spec.Type, sink.Spec.Data = e.Spec.Type, e.Spec.Data
		return nil
	default:
		proxy := &v2.Event{}
		if err := e.ConvertTo(ctx, proxy); err != nil {
			return err
		}
		return proxy.ConvertTo(ctx, sink)
	}
}

func (e *Event) ConvertFrom(ctx context.Context, from v3.Convertible) error {
	switch source := from.(type) {
	case *v2.Event:
		e.Spec.Type, e.Spec.Data = source.Spec.Type, source.Spec.Data
		return nil
	default:
		proxy := &v2.Event{}
		if err := proxy.ConvertFrom(ctx, source); err != nil {
			return err
		}
		return e.ConvertFrom(ctx, proxy)
	}
}
