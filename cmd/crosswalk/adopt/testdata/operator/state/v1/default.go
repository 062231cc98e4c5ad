package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

// Separator is exported, and nothing sets it.
var Separator = ","

var ErrDefault error = error(nil)

type Default struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Default) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Default).Spec.A = s.Spec.A + Separator
	return nil
}

func (s *Default) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Default).Spec.A
	return nil
}
