package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var dead = "a"

func neverCalled() { dead = "b" }

type Dead struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Dead) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Dead).Spec.A = s.Spec.A + dead
	return nil
}

func (s *Dead) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Dead).Spec.A
	return nil
}
