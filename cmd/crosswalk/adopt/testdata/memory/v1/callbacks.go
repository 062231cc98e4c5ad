package v1

import (
	"example.com/hooks"
	"example.com/memory/conversion"
	"example.com/memory/defaults"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Functions that another package calls, and values that an initialiser takes.

var visited = &Plain{"-"}

type Visitor interface{ Visit(*Plain) }

func Accept(v Visitor) { v.Visit(visited) }

type Visited struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Visited) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Visited).Spec.A = s.Spec.A + visited.Prefix
	return nil
}

func (s *Visited) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Visited).Spec.A
	return nil
}

var started = "-"

func init() { hooks.OnStart(func() { started = "x" }) }

type Started struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Started) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Started).Spec.A = s.Spec.A + started
	return nil
}

func (s *Started) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Started).Spec.A
	return nil
}

var begun = "-"

func begin() { begun = "x" }

func init() { hooks.OnStart(begin) }

type Begun struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Begun) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Begun).Spec.A = s.Spec.A + begun
	return nil
}

func (s *Begun) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Begun).Spec.A
	return nil
}

var ran = "-"

var command = &hooks.Command{Run: func() { ran = "x" }}

func init() { hooks.Add(command) }

type Ran struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Ran) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Ran).Spec.A = s.Spec.A + ran
	return nil
}

func (s *Ran) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Ran).Spec.A
	return nil
}

func lookUp(name string) string {
	if r := hooks.Lookup(name); r != "" {
		return r
	}
	return "-"
}

type Registered struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Registered) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Registered).Spec.A = s.Spec.A + lookUp("a")
	return nil
}

func (s *Registered) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Registered).Spec.A
	return nil
}

var early = defaults.Prefix

type Early struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Early) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Early).Spec.A = s.Spec.A + early
	return nil
}

func (s *Early) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Early).Spec.A
	return nil
}

var (
	watched = "-"
	Updates = make(chan string)
)

func init() {
	go func() {
		for p := range Updates {
			watched = p
		}
	}()
}

type Watched struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Watched) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Watched).Spec.A = s.Spec.A + watched
	return nil
}

func (s *Watched) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Watched).Spec.A
	return nil
}
