package v1

import (
	"strconv"
	"sync"

	"example.com/memory/conversion"
	"example.com/memory/fill"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Functions and methods.

type Namer interface{ Name() string }

type Plain struct{ Prefix string }

func (p *Plain) Name() string { return p.Prefix }

var TheNamer Namer = &Plain{"-"}

type Held struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Held) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Held).Spec.A = s.Spec.A + TheNamer.Name()
	return nil
}

func (s *Held) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Held).Spec.A
	return nil
}

type Setter interface{ Use(string) }

type used struct{ prefix string }

func (u *used) Use(p string) { u.prefix = p }

var theUsed used

func TheSetter() Setter { return &theUsed }

type Interface struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Interface) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Interface).Spec.A = s.Spec.A + theUsed.prefix
	return nil
}

func (s *Interface) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Interface).Spec.A
	return nil
}

var closed = "-"

var Close = func(p string) { closed = p }

type Closure struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Closure) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Closure).Spec.A = s.Spec.A + closed
	return nil
}

func (s *Closure) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Closure).Spec.A
	return nil
}

var once sync.Once

var first = "-"

func Init(p string) { once.Do(func() { first = p }) }

type Once struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Once) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Once).Spec.A = s.Spec.A + first
	return nil
}

func (s *Once) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Once).Spec.A
	return nil
}

var hook func(string) string

func OnConvert(f func(string) string) { hook = f }

func hooked(a string) string {
	if hook == nil {
		return a
	}
	return hook(a)
}

type Hook struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Hook) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Hook).Spec.A = s.Spec.A + hooked("a")
	return nil
}

func (s *Hook) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Hook).Spec.A
	return nil
}

var filled = config{"-"}

func Load() { fill.Fill(&filled) }

type Reflect struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Reflect) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Reflect).Spec.A = s.Spec.A + filled.Prefix
	return nil
}

func (s *Reflect) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Reflect).Spec.A
	return nil
}

var flagged = "-"

func AddFlags(s *fill.Set) { s.Bind("prefix", &flagged) }

type Flag struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Flag) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Flag).Spec.A = s.Spec.A + flagged
	return nil
}

func (s *Flag) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Flag).Spec.A
	return nil
}

var conversions int

type Remembered struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Remembered) ConvertTo(hub conversion.Hub) error {
	conversions++
	hub.(*v2.Remembered).Spec.A = s.Spec.A + strconv.Itoa(conversions)
	return nil
}

func (s *Remembered) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Remembered).Spec.A
	return nil
}

var (
	lazily sync.Once
	lazy   string
)

type Lazy struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Lazy) ConvertTo(hub conversion.Hub) error {
	lazily.Do(func() { lazy = "-" })
	hub.(*v2.Lazy).Spec.A = s.Spec.A + lazy
	return nil
}

func (s *Lazy) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Lazy).Spec.A
	return nil
}
