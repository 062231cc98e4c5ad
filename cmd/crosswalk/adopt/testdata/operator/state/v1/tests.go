package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

// TestName is set by tests only.
var TestName = "a"

type Tests struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Tests) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Tests).Spec.A = s.Spec.A + TestName
	return nil
}

func (s *Tests) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Tests).Spec.A
	return nil
}
