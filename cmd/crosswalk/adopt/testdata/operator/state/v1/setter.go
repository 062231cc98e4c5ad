package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

// SetGetter is called by main.
func SetGetter(f func() string) { getter = f }

var getter = func() string { return "not set" }

type Setter struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Setter) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Setter).Spec.A = s.Spec.A + getter()
	return nil
}

func (s *Setter) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Setter).Spec.A
	return nil
}
