package v1

import (
	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Memory that main reads, and copies of it that main changes.

var original = &Plain{"-"}

func Original() *Plain { return original }

func (p *Plain) DeepCopy() *Plain {
	out := new(Plain)
	*out = *p
	return out
}

type DeepCopied struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *DeepCopied) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.DeepCopied).Spec.A = s.Spec.A + original.Prefix
	return nil
}

func (s *DeepCopied) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.DeepCopied).Spec.A
	return nil
}

var dereferenced = &Plain{"-"}

func TheDereferenced() *Plain { return dereferenced }

type Dereferenced struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Dereferenced) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Dereferenced).Spec.A = s.Spec.A + dereferenced.Prefix
	return nil
}

func (s *Dereferenced) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Dereferenced).Spec.A
	return nil
}

func (p Plain) With(prefix string) Plain {
	p.Prefix = prefix
	return p
}

var with = &Plain{"-"}

func Defaults() *Plain { return with }

type With struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *With) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.With).Spec.A = s.Spec.A + with.Prefix
	return nil
}

func (s *With) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.With).Spec.A
	return nil
}

var looped = []*Plain{{"-"}}

func TheLooped() []*Plain { return looped }

type Looped struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Looped) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Looped).Spec.A = s.Spec.A + looped[0].Prefix
	return nil
}

func (s *Looped) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Looped).Spec.A
	return nil
}

var described = &Plain{"-"}

func TheDescribed() *Plain { return described }

type Described struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Described) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Described).Spec.A = s.Spec.A + described.Prefix
	return nil
}

func (s *Described) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Described).Spec.A
	return nil
}

var picked = map[string]string{"a": "-"}

func pick(m map[string]string, into *map[string]string) { *into = m }

func thePicked() map[string]string {
	var events struct{ formats map[string]string }
	pick(picked, &events.formats)
	return events.formats
}

type Picked struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Picked) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Picked).Spec.A = s.Spec.A + thePicked()["a"]
	return nil
}

func (s *Picked) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Picked).Spec.A
	return nil
}
