package v1

import (
	"math/rand/v2"
	"strconv"

	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

func random() string { return strconv.Itoa(rand.Int()) }

type Random struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Random) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Random).Spec.A = s.Spec.A + random()
	return nil
}

func (s *Random) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Random).Spec.A
	return nil
}
