package v1

import (
	"github.com/spf13/pflag"
	"k8s.io/component-base/featuregate"

	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Flags and feature gates of libraries that the search knows by name.

func init() { pflag.CommandLine.String("memory-pflag", "-", "") }

type Pflagged struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Pflagged) ConvertTo(hub conversion.Hub) error {
	text, err := pflag.CommandLine.GetString("memory-pflag")
	hub.(*v2.Pflagged).Spec.A = s.Spec.A + text
	return err
}

func (s *Pflagged) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Pflagged).Spec.A
	return nil
}

var gates = featuregate.NewFeatureGate()

type Concrete struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Concrete) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Concrete).Spec.A = s.Spec.A
	if gates.Enabled("A") {
		hub.(*v2.Concrete).Spec.A += "x"
	}
	return nil
}

func (s *Concrete) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Concrete).Spec.A
	return nil
}

var someGate featuregate.FeatureGate = featuregate.NewFeatureGate()

type Abstract struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Abstract) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Abstract).Spec.A = s.Spec.A
	if someGate.Enabled("A") {
		hub.(*v2.Abstract).Spec.A += "x"
	}
	return nil
}

func (s *Abstract) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Abstract).Spec.A
	return nil
}
