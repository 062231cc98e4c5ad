package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var Prefix = "a"

type Assigned struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Assigned) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Assigned).Spec.A = s.Spec.A + Prefix
	return nil
}

func (s *Assigned) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Assigned).Spec.A
	return nil
}
