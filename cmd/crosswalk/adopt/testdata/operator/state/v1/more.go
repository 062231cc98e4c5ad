package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var more = map[string]string{}

// Extend is called by an init function here, and by main again.
func Extend(name string) { more[name] = name }

func init() { Extend("a") }

type More struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *More) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.More).Spec.A = s.Spec.A + more["a"]
	return nil
}

func (s *More) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.More).Spec.A
	return nil
}
