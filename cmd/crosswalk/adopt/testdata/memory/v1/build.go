package v1

import (
	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// What the linker and build tags set.

var linked = "-"

func setLinked(p string) { linked = p }

type Linked struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Linked) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Linked).Spec.A = s.Spec.A + linked
	return nil
}

func (s *Linked) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Linked).Spec.A
	return nil
}

var pushed = "-"

type Pushed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Pushed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Pushed).Spec.A = s.Spec.A + pushed
	return nil
}

func (s *Pushed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Pushed).Spec.A
	return nil
}

var build = "dev"

type Stamped struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Stamped) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Stamped).Spec.A = s.Spec.A + build
	return nil
}

func (s *Stamped) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Stamped).Spec.A
	return nil
}

type Tagged struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Tagged) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Tagged).Spec.A = s.Spec.A + edition
	return nil
}

func (s *Tagged) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Tagged).Spec.A
	return nil
}
