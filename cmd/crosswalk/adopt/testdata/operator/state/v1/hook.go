package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

// Describe is for other modules.
var Describe func() string

type Hook struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Hook) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Hook).Spec.A = s.Spec.A + Describe()
	return nil
}

func (s *Hook) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Hook).Spec.A
	return nil
}
