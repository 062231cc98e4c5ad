package v1

import (
	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Fields of structs, and other variables, that functions hand to each other.

var opened = &Plain{"-"}

func putOpened(p **Plain) { *p = opened }

func openDrawer(d *drawer) { putOpened(&d.plain) }

// SetOpened gives its struct to a function that fills the field.
func SetOpened(prefix string) {
	d := &drawer{}
	openDrawer(d)
	d.plain.Prefix = prefix
}

type Opened struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Opened) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Opened).Spec.A = s.Spec.A + opened.Prefix
	return nil
}

func (s *Opened) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Opened).Spec.A
	return nil
}

var lifted = &Plain{"-"}

func putLifted(p **Plain) { *p = lifted }

func lift() *drawer {
	d := &drawer{}
	putLifted(&d.plain)
	return d
}

// SetLifted gets a struct with a filled field.
func SetLifted(prefix string) { lift().plain.Prefix = prefix }

type Lifted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Lifted) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Lifted).Spec.A = s.Spec.A + lifted.Prefix
	return nil
}

func (s *Lifted) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Lifted).Spec.A
	return nil
}

type chest struct{ top drawer }

var deep = &Plain{"-"}

func putDeep(p **Plain) { *p = deep }

// SetDeep fills a field of a struct in a struct.
func SetDeep(prefix string) {
	var c chest
	putDeep(&c.top.plain)
	c.top.plain.Prefix = prefix
}

type Deep struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Deep) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Deep).Spec.A = s.Spec.A + deep.Prefix
	return nil
}

func (s *Deep) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Deep).Spec.A
	return nil
}

var shelved = &Plain{"-"}

func putShelved(p **Plain) { *p = shelved }

// SetShelved fills an element.
func SetShelved(prefix string) {
	shelf := make([]*Plain, 2)
	putShelved(&shelf[0])
	shelf[0].Prefix = prefix
}

type Shelved struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Shelved) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Shelved).Spec.A = s.Spec.A + shelved.Prefix
	return nil
}

func (s *Shelved) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Shelved).Spec.A
	return nil
}

var captured = &Plain{"-"}

// SetCaptured fills a variable in a closure.
func SetCaptured(prefix string) {
	var p *Plain
	func() { p = captured }()
	p.Prefix = prefix
}

type Captured struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Captured) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Captured).Spec.A = s.Spec.A + captured.Prefix
	return nil
}

func (s *Captured) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Captured).Spec.A
	return nil
}

var emptied = &Plain{"-"}

func rename(p **Plain, prefix string) { (*p).Prefix = prefix }

// SetEmptied gives the address of a field to a function that changes the memory.
func SetEmptied(prefix string) {
	d := &drawer{plain: emptied}
	rename(&d.plain, prefix)
}

type Emptied struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Emptied) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Emptied).Spec.A = s.Spec.A + emptied.Prefix
	return nil
}

func (s *Emptied) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Emptied).Spec.A
	return nil
}

var chosen = &Plain{"-"}

// SetChosen fills one of two variables.
func SetChosen(prefix string) {
	var a, b *Plain
	to := &a
	if prefix == "" {
		to = &b
	}
	*to = chosen
	a.Prefix = prefix
}

type Chosen struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Chosen) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Chosen).Spec.A = s.Spec.A + chosen.Prefix
	return nil
}

func (s *Chosen) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Chosen).Spec.A
	return nil
}

var aimed = &Plain{"-"}

func aim(d *drawer) **Plain { return &d.plain }

// SetAimed fills a field at an address that a function returns.
func SetAimed(prefix string) {
	d := &drawer{}
	*aim(d) = aimed
	d.plain.Prefix = prefix
}

type Aimed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Aimed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Aimed).Spec.A = s.Spec.A + aimed.Prefix
	return nil
}

func (s *Aimed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Aimed).Spec.A
	return nil
}
