package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var Strict bool

func strict() string {
	if Strict {
		return "strict"
	}
	return ""
}

type Flag struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Flag) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Flag).Spec.A = s.Spec.A + strict()
	return nil
}

func (s *Flag) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Flag).Spec.A
	return nil
}
