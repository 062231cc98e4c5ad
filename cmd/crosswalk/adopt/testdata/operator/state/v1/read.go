package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var count = 0

// Count reads a variable.
func Count() int { return count }

func init() { Count() }

type Read struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Read) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Read).Spec.A = s.Spec.A + string(rune(count))
	return nil
}

func (s *Read) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Read).Spec.A
	return nil
}
