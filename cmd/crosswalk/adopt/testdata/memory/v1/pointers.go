// Package v1 has kinds that depend on memory which the operator's main can change without naming
// the variable.
// +groupName=memory.example.com
package v1

import (
	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Pointers that functions return, or that variables and structs keep.

type config struct{ Prefix string }

func (c *config) Configure(p string) { c.Prefix = p }

func (c *config) Name() string { return c.Prefix }

var theConfig = config{"-"}

func TheConfig() *config { return &theConfig }

type Getter struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Getter) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Getter).Spec.A = s.Spec.A + theConfig.Prefix
	return nil
}

func (s *Getter) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Getter).Spec.A
	return nil
}

var settings = &config{"-"}

func Settings() *config { return settings }

type Method struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Method) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Method).Spec.A = s.Spec.A + Settings().Prefix
	return nil
}

func (s *Method) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Method).Spec.A
	return nil
}

var Naming = &config{"-"}

type Exported struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Exported) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Exported).Spec.A = s.Spec.A + Naming.Prefix
	return nil
}

func (s *Exported) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Exported).Spec.A
	return nil
}

var Aliased = &config{"-"}

type Alias struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Alias) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Alias).Spec.A = s.Spec.A + Aliased.Prefix
	return nil
}

func (s *Alias) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Alias).Spec.A
	return nil
}

var readOnly = &config{"-"}

func ReadOnly() *config { return readOnly }

type Read struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Read) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Read).Spec.A = s.Spec.A + readOnly.Prefix
	return nil
}

func (s *Read) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Read).Spec.A
	return nil
}

type Base struct{ config }

type outer struct{ *Base }

var Outer = outer{&Base{config{"-"}}}

type Embedded struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Embedded) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Embedded).Spec.A = s.Spec.A + Outer.Prefix
	return nil
}

func (s *Embedded) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Embedded).Spec.A
	return nil
}

var Inner = outer{&Base{config{"-"}}}

type Promoted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Promoted) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Promoted).Spec.A = s.Spec.A + Inner.Prefix
	return nil
}

func (s *Promoted) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Promoted).Spec.A
	return nil
}

var registry = struct{ opts *config }{&config{"-"}}

func Options() *config { return registry.opts }

type Kept struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Kept) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Kept).Spec.A = s.Spec.A + registry.opts.Prefix
	return nil
}

func (s *Kept) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Kept).Spec.A
	return nil
}

var state = &config{"-"}

type Reconciler struct{ s *config }

func NewReconciler() *Reconciler { return &Reconciler{s: state} }

func (r *Reconciler) Run() { r.s.Prefix = "x" }

type Shared struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Shared) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Shared).Spec.A = s.Spec.A + state.Prefix
	return nil
}

func (s *Shared) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Shared).Spec.A
	return nil
}

var valued = config{"-"}

func TheValue() *config { return &valued }

type Valued struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Valued) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Valued).Spec.A = s.Spec.A + valued.Prefix
	return nil
}

func (s *Valued) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Valued).Spec.A
	return nil
}
