package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var names = map[string]string{}

type registry struct{}

// Add is a method that changes a variable by way of another function.
func (registry) Add(name string) { add(names, name) }

func add(to map[string]string, name string) { to[name] = name }

// Names is the only way to names.
var Names registry

type Registry struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Registry) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Registry).Spec.A = s.Spec.A + names["a"]
	return nil
}

func (s *Registry) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Registry).Spec.A
	return nil
}
