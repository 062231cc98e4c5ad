package v1

import (
	"flag"
	_ "unsafe"

	"gopkg.in/inf.v0"

	"example.com/hooks"
	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Methods of exported variables, and memory that libraries keep.

// Direct has a method that changes it, and leads to no memory of others.
var Direct = used{"-"}

type Directed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Directed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Directed).Spec.A = s.Spec.A + Direct.prefix
	return nil
}

func (s *Directed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Directed).Spec.A
	return nil
}

// Panel has the method by way of an embedded field.
var Panel struct{ used }

type Panelled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Panelled) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Panelled).Spec.A = s.Spec.A + Panel.prefix
	return nil
}

func (s *Panelled) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Panelled).Spec.A
	return nil
}

var option = flag.String("memory-option", "-", "")

type Optional struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Optional) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Optional).Spec.A = s.Spec.A + *option
	return nil
}

func (s *Optional) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Optional).Spec.A
	return nil
}

var parsed = "-"

func init() { flag.StringVar(&parsed, "memory-parsed", parsed, "") }

type Parsed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Parsed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Parsed).Spec.A = s.Spec.A + parsed
	return nil
}

func (s *Parsed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Parsed).Spec.A
	return nil
}

// setting is memory of a library, which keeps it.
var setting = hooks.String("-")

type Allotted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Allotted) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Allotted).Spec.A = s.Spec.A + *setting
	return nil
}

func (s *Allotted) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Allotted).Spec.A
	return nil
}

type prefixFlag struct{ prefix string }

func (f *prefixFlag) Set(prefix string) { f.prefix = prefix }

var gate = &prefixFlag{"-"}

// BindGate gives the memory to a library, whose methods change it.
func BindGate(s *hooks.Set) { s.Var("gate", gate) }

type Gated struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Gated) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Gated).Spec.A = s.Spec.A + gate.prefix
	return nil
}

func (s *Gated) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Gated).Spec.A
	return nil
}

var surrendered = "-"

// surrender is a function of main.
//
//go:linkname surrender main.surrender
func surrender(prefix string) { surrendered = prefix }

type Surrendered struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Surrendered) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Surrendered).Spec.A = s.Spec.A + surrendered
	return nil
}

func (s *Surrendered) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Surrendered).Spec.A
	return nil
}

// scheme is a table of functions, which main registers.
type scheme struct{ functions [1]func(string) string }

func (s *scheme) Enlist(f func(string) string) { s.functions[0] = f }

var Scheme = scheme{[1]func(string) string{func(a string) string { return a + "-" }}}

type Schemed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Schemed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Schemed).Spec.A = Scheme.functions[0](s.Spec.A)
	return nil
}

func (s *Schemed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Schemed).Spec.A
	return nil
}

// Rounded reads a cache that main fills, as every operator with quantities does.
type Rounded struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Rounded) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Rounded).Spec.A = inf.Round(s.Spec.A)
	return nil
}

func (s *Rounded) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Rounded).Spec.A
	return nil
}
