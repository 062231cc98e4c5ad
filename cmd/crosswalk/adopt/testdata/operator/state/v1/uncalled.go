package v1

import (
	"time"

	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

type stamp struct{}

// String is copied, because another type is printed, and not called.
func (stamp) String() string { return time.Now().String() }

func uncalled(stamp) string { return "" }

type Uncalled struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Uncalled) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Uncalled).Spec.A = s.Spec.A + uncalled(stamp{})
	return nil
}

func (s *Uncalled) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Uncalled).Spec.A
	return nil
}
