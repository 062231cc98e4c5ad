package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var Options struct{ Mode struct{ Name string } }

type Field struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Field) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Field).Spec.A = s.Spec.A + Options.Mode.Name
	return nil
}

func (s *Field) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Field).Spec.A
	return nil
}
