package v1

import (
	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Functions that store memory in a variable of their caller.

var given = &Plain{"-"}

func Give(p **Plain) { *p = given }

var collected = &Plain{"-"}

func Collect(m map[string]*Plain) { m["a"] = collected }

var asserted = &Plain{"-"}

func Into(to any) { *to.(**Plain) = asserted }

type drawer struct{ plain *Plain }

var fielded = &Plain{"-"}

// SetFielded changes memory in a field by another address than the callee got.
func SetFielded(prefix string) {
	d := &drawer{}
	putFielded(&d.plain)
	d.plain.Prefix = prefix
}

func putFielded(p **Plain) { *p = fielded }

var housed = &Plain{"-"}

var house drawer

func putHoused(p **Plain) { *p = housed }

func EnterHouse() { putHoused(&house.plain) }

// SetHoused changes memory in a field of a variable, which another function filled.
func SetHoused(prefix string) { house.plain.Prefix = prefix }

var sibling = &Plain{"-"}

func putSibling(p **Plain) { *p = sibling }

// SetSibling changes memory in the same field of another struct.
func SetSibling(prefix string) {
	var one, other drawer
	putSibling(&one.plain)
	other.plain = &Plain{}
	other.plain.Prefix = prefix
}

type Plains map[string]*Plain

var merged = &Plain{"-"}

func (m Plains) Merge() { m["a"] = merged }

var handed = &Plain{"-"}

func hand(p **Plain) { *p = handed }

func Hand(prefix string) {
	var p *Plain
	hand(&p)
	p.Prefix = prefix
}

var passed = &Plain{"-"}

func pass(p **Plain) { *p = passed }

func Pass(p **Plain) { pass(p) }

type Composition struct{ *Plain }

var composed = &Plain{"-"}

func Compose(c *Composition) { c.Plain = composed }

var owned = &Plain{"-"}

func Own(p **Plain) { *p = owned }

var peeked = &Plain{"-"}

func Peek(p **Plain) { *p = peeked }

var replenished = &Plain{"-"}

func Replenish(p *Plain) { *p = *replenished }

var lent = &Plain{"-"}

func lend(p **Plain) { *p = lent }

func Adjust(p **Plain, prefix string) { (*p).Prefix = prefix }

func Lend(prefix string) {
	var p *Plain
	lend(&p)
	Adjust(&p, prefix)
}

var adjusted = &Plain{"-"}

func Supply(p **Plain) { *p = adjusted }

var relabelled = &Plain{"-"}

func Label(p **Plain) { *p = relabelled }

var called = &Plain{"-"}

var Call = func(p **Plain) { *p = called }

var matched = &Plain{"-"}

func Match(to any) {
	switch to := to.(type) {
	case *string:
		*to = "-"
	case **Plain:
		*to = matched
	}
}

type Given struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Given) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Given).Spec.A = s.Spec.A + given.Prefix
	return nil
}

func (s *Given) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Given).Spec.A
	return nil
}

type Collected struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Collected) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Collected).Spec.A = s.Spec.A + collected.Prefix
	return nil
}

func (s *Collected) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Collected).Spec.A
	return nil
}

type Asserted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Asserted) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Asserted).Spec.A = s.Spec.A + asserted.Prefix
	return nil
}

func (s *Asserted) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Asserted).Spec.A
	return nil
}

type Merged struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Merged) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Merged).Spec.A = s.Spec.A + merged.Prefix
	return nil
}

func (s *Merged) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Merged).Spec.A
	return nil
}

type Handed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Handed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Handed).Spec.A = s.Spec.A + handed.Prefix
	return nil
}

func (s *Handed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Handed).Spec.A
	return nil
}

type Passed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Passed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Passed).Spec.A = s.Spec.A + passed.Prefix
	return nil
}

func (s *Passed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Passed).Spec.A
	return nil
}

type Composed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Composed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Composed).Spec.A = s.Spec.A + composed.Prefix
	return nil
}

func (s *Composed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Composed).Spec.A
	return nil
}

type Owned struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Owned) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Owned).Spec.A = s.Spec.A + owned.Prefix
	return nil
}

func (s *Owned) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Owned).Spec.A
	return nil
}

type Peeked struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Peeked) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Peeked).Spec.A = s.Spec.A + peeked.Prefix
	return nil
}

func (s *Peeked) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Peeked).Spec.A
	return nil
}

type Replenished struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Replenished) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Replenished).Spec.A = s.Spec.A + replenished.Prefix
	return nil
}

func (s *Replenished) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Replenished).Spec.A
	return nil
}

type Lent struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Lent) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Lent).Spec.A = s.Spec.A + lent.Prefix
	return nil
}

func (s *Lent) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Lent).Spec.A
	return nil
}

type Adjusted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Adjusted) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Adjusted).Spec.A = s.Spec.A + adjusted.Prefix
	return nil
}

func (s *Adjusted) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Adjusted).Spec.A
	return nil
}

type Relabelled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Relabelled) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Relabelled).Spec.A = s.Spec.A + relabelled.Prefix
	return nil
}

func (s *Relabelled) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Relabelled).Spec.A
	return nil
}

type Called struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Called) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Called).Spec.A = s.Spec.A + called.Prefix
	return nil
}

func (s *Called) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Called).Spec.A
	return nil
}

type Matched struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Matched) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Matched).Spec.A = s.Spec.A + matched.Prefix
	return nil
}

func (s *Matched) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Matched).Spec.A
	return nil
}

type Fielded struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Fielded) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Fielded).Spec.A = s.Spec.A + fielded.Prefix
	return nil
}

func (s *Fielded) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Fielded).Spec.A
	return nil
}

type Housed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Housed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Housed).Spec.A = s.Spec.A + housed.Prefix
	return nil
}

func (s *Housed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Housed).Spec.A
	return nil
}

type Sibling struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Sibling) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Sibling).Spec.A = s.Spec.A + sibling.Prefix
	return nil
}

func (s *Sibling) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Sibling).Spec.A
	return nil
}
