package v1

import (
	"time"

	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var now = time.Now

func clock() string { return now().String() + time.Unix(0, 0).String() }

type Clock struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Clock) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Clock).Spec.A = s.Spec.A + clock()
	return nil
}

func (s *Clock) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Clock).Spec.A
	return nil
}
