package v1

import (
	"os"

	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var home = os.Getenv("HOME")

type Environment struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Environment) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Environment).Spec.A = s.Spec.A + home
	return nil
}

func (s *Environment) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Environment).Spec.A
	return nil
}
