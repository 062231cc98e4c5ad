package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var table = map[string]string{}

func init() { fill() }

func fill() { fillWith("a") }

func fillWith(key string) { table[key] = key }

type Initial struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Initial) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Initial).Spec.A = s.Spec.A + table["a"]
	return nil
}

func (s *Initial) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Initial).Spec.A
	return nil
}
