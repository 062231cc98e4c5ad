package v1

import (
	"runtime"

	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

type Machine struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Machine) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Machine).Spec.A = s.Spec.A + runtime.GOOS
	return nil
}

func (s *Machine) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Machine).Spec.A
	return nil
}
