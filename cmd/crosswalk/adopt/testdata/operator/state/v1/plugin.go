package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var plugins = map[string]string{}

// Plug is called by package plugin.
func Plug(name string) { plugins[name] = name }

type Plugin struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Plugin) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Plugin).Spec.A = s.Spec.A + plugins["a"]
	return nil
}

func (s *Plugin) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Plugin).Spec.A
	return nil
}
