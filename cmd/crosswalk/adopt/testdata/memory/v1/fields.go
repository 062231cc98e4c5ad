package v1

import (
	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Pointers that exported fields keep.

var managed = &Plain{"-"}

type Manager struct{ Config *Plain }

func New() *Manager { return &Manager{Config: managed} }

type Field struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Field) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Field).Spec.A = s.Spec.A + managed.Prefix
	return nil
}

func (s *Field) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Field).Spec.A
	return nil
}

var labels = map[string]string{"a": "-"}

type ClientOptions struct{ Labels map[string]string }

type Client struct{ Options ClientOptions }

func NewClient() *Client { return &Client{Options: ClientOptions{Labels: labels}} }

type Nested struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Nested) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Nested).Spec.A = s.Spec.A + labels["a"]
	return nil
}

func (s *Nested) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Nested).Spec.A
	return nil
}

var tuned = &Plain{"-"}

type Tuner struct{ Target *Plain }

func NewTuner() *Tuner { return &Tuner{tuned} }

type Tuned struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Tuned) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Tuned).Spec.A = s.Spec.A + tuned.Prefix
	return nil
}

func (s *Tuned) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Tuned).Spec.A
	return nil
}

type Snapshot struct{ Inner *Plain }

var snapshot = Snapshot{&Plain{"-"}}

func TheSnapshot() Snapshot { return snapshot }

type Copied struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Copied) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Copied).Spec.A = s.Spec.A + snapshot.Inner.Prefix
	return nil
}

func (s *Copied) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Copied).Spec.A
	return nil
}

var inlined = &Plain{"-"}

type Inliner struct{ *Plain }

func NewInliner() *Inliner { return &Inliner{inlined} }

type Inlined struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Inlined) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Inlined).Spec.A = s.Spec.A + inlined.Prefix
	return nil
}

func (s *Inlined) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Inlined).Spec.A
	return nil
}

var renamed = &Plain{"-"}

func (p *Plain) Rename(prefix string) { p.Prefix = prefix }

type Renamer struct{ *Plain }

func NewRenamer() *Renamer { return &Renamer{renamed} }

type Renamed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Renamed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Renamed).Spec.A = s.Spec.A + renamed.Prefix
	return nil
}

func (s *Renamed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Renamed).Spec.A
	return nil
}

var shown = &Plain{"-"}

type Reader struct{ Shown *Plain }

func NewReader() *Reader { return &Reader{Shown: shown} }

type Shown struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Shown) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Shown).Spec.A = s.Spec.A + shown.Prefix
	return nil
}

func (s *Shown) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Shown).Spec.A
	return nil
}

var replaced = &Plain{"-"}

type Replacer struct{ Current *Plain }

func NewReplacer() *Replacer { return &Replacer{Current: replaced} }

type Replaced struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Replaced) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Replaced).Spec.A = s.Spec.A + replaced.Prefix
	return nil
}

func (s *Replaced) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Replaced).Spec.A
	return nil
}
