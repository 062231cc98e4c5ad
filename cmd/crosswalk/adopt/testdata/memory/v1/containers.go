package v1

import (
	"sync/atomic"

	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Maps, slices, channels and generic types.

type table[T any] struct{ m map[string]T }

func (t *table[T]) Use(k string, v T) { t.m[k] = v }

var Table = &table[string]{m: map[string]string{"a": "-"}}

type Generic struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Generic) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Generic).Spec.A = s.Spec.A + Table.m["a"]
	return nil
}

func (s *Generic) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Generic).Spec.A
	return nil
}

type entries[T any] map[string]T

var enrolled = entries[string]{"a": "-"}

func Enroll[T any](r map[string]T, k string, v T) { r[k] = v }

func Enrollments() map[string]string { return enrolled }

type Enrolled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Enrolled) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Enrolled).Spec.A = s.Spec.A + enrolled["a"]
	return nil
}

func (s *Enrolled) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Enrolled).Spec.A
	return nil
}

var Names = map[string]string{"a": "-"}

type Map struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Map) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Map).Spec.A = s.Spec.A + Names["a"]
	return nil
}

func (s *Map) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Map).Spec.A
	return nil
}

var Others = map[string]string{"a": "-"}

type Filled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Filled) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Filled).Spec.A = s.Spec.A + Others["a"]
	return nil
}

func (s *Filled) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Filled).Spec.A
	return nil
}

var listed = map[string]string{"a": "-"}

func Lists() (names []string) {
	for name := range listed {
		names = append(names, name)
	}
	return names
}

type Listed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Listed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Listed).Spec.A = s.Spec.A + listed["a"]
	return nil
}

func (s *Listed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Listed).Spec.A
	return nil
}

var rules = []config{{"-"}}

func Rules() []config { return rules }

type Slice struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Slice) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Slice).Spec.A = s.Spec.A + rules[0].Prefix
	return nil
}

func (s *Slice) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Slice).Spec.A
	return nil
}

var current atomic.Pointer[string]

func Current() *atomic.Pointer[string] { return &current }

func value() string {
	if p := current.Load(); p != nil {
		return *p
	}
	return "-"
}

type Atomic struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Atomic) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Atomic).Spec.A = s.Spec.A + value()
	return nil
}

func (s *Atomic) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Atomic).Spec.A
	return nil
}

var queue = make(chan string, 1)

func Queue() chan<- string { return queue }

func last() string {
	select {
	case name := <-queue:
		queue <- name
		return name
	default:
		return "-"
	}
}

type Channel struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Channel) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Channel).Spec.A = s.Spec.A + last()
	return nil
}

func (s *Channel) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Channel).Spec.A
	return nil
}
