package v1

import (
	"sync"

	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Ways in which a main reaches memory.

var Entries sync.Map

type Stored struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Stored) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Stored).Spec.A = s.Spec.A + load(&Entries)
	return nil
}

func (s *Stored) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Stored).Spec.A
	return nil
}

var bound = &config{"-"}

func TheBound() *config { return bound }

type Bound struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Bound) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Bound).Spec.A = s.Spec.A + bound.Prefix
	return nil
}

func (s *Bound) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Bound).Spec.A
	return nil
}

var wrapped used

func WrappedSetter() Setter { return &wrapped }

type Wrapped struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Wrapped) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Wrapped).Spec.A = s.Spec.A + wrapped.prefix
	return nil
}

func (s *Wrapped) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Wrapped).Spec.A
	return nil
}

var constrained used

func TheConstrained() *used { return &constrained }

type Constrained struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Constrained) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Constrained).Spec.A = s.Spec.A + constrained.prefix
	return nil
}

func (s *Constrained) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Constrained).Spec.A
	return nil
}

var Switch Namer = &Plain{"-"}

type Switched struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Switched) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Switched).Spec.A = s.Spec.A + Switch.Name()
	return nil
}

func (s *Switched) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Switched).Spec.A
	return nil
}

var ranged = []*Plain{{"-"}}

func TheRanged() []*Plain { return ranged }

type Ranged struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Ranged) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Ranged).Spec.A = s.Spec.A + ranged[0].Prefix
	return nil
}

func (s *Ranged) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Ranged).Spec.A
	return nil
}

var helped = &Plain{"-"}

func TheHelped() *Plain { return helped }

type Helped struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Helped) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Helped).Spec.A = s.Spec.A + helped.Prefix
	return nil
}

func (s *Helped) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Helped).Spec.A
	return nil
}

var Pool = sync.Pool{New: func() any { return "-" }}

type Pooled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Pooled) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Pooled).Spec.A = s.Spec.A + Pool.Get().(string)
	return nil
}

func (s *Pooled) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Pooled).Spec.A
	return nil
}

var source = "-"

func SetSource(s string) { source = s }

var sourced = sync.OnceValue(func() string { return source })

type Sourced struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Sourced) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Sourced).Spec.A = s.Spec.A + sourced()
	return nil
}

func (s *Sourced) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Sourced).Spec.A
	return nil
}

func load(m *sync.Map) string {
	if v, ok := m.Load("a"); ok {
		return v.(string)
	}
	return "-"
}
