package v1

import (
	"iter"

	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Variables of functions that closures keep, and memory that unknown functions get.

var getAccessed, setAccessed = accessors()

func accessors() (get func() string, set func(string)) {
	prefix := "-"
	return func() string { return prefix }, func(p string) { prefix = p }
}

func SetAccessed(prefix string) { setAccessed(prefix) }

type Accessed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Accessed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Accessed).Spec.A = s.Spec.A + getAccessed()
	return nil
}

func (s *Accessed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Accessed).Spec.A
	return nil
}

var isNew = func() func(string) bool {
	seen := map[string]bool{}
	return func(name string) bool {
		known := seen[name]
		seen[name] = true
		return !known
	}
}()

type Memorized struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Memorized) ConvertTo(hub conversion.Hub) error {
	if hub.(*v2.Memorized).Spec.A = "-"; isNew(s.Spec.A) {
		hub.(*v2.Memorized).Spec.A = "new"
	}
	return nil
}

func (s *Memorized) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Memorized).Spec.A
	return nil
}

// prefixOf has a variable that nothing changes after the start.
var prefixOf = func() func() string {
	prefix := ""
	for range 2 {
		prefix += "-"
	}
	return func() string { return prefix }
}()

type Enclosed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Enclosed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Enclosed).Spec.A = s.Spec.A + prefixOf()
	return nil
}

func (s *Enclosed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Enclosed).Spec.A
	return nil
}

var parametric used

func useAny[T interface{ Use(string) }](t T, prefix string) { t.Use(prefix) }

// UseParametric calls a method by way of a type parameter.
func UseParametric(prefix string) { useAny(&parametric, prefix) }

type Parametric struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Parametric) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Parametric).Spec.A = s.Spec.A + parametric.prefix
	return nil
}

func (s *Parametric) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Parametric).Spec.A
	return nil
}

var mutated = map[string]string{"a": "-"}

// Mutate gives a map to a function of its caller.
func Mutate(change func(map[string]string)) { change(mutated) }

type Mutated struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Mutated) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Mutated).Spec.A = s.Spec.A + mutated["a"]
	return nil
}

func (s *Mutated) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Mutated).Spec.A
	return nil
}

var iterated = []map[string]string{{"a": "-"}}

// AllIterated yields maps to a loop.
func AllIterated() iter.Seq[map[string]string] {
	return func(yield func(map[string]string) bool) {
		for _, m := range iterated {
			if !yield(m) {
				return
			}
		}
	}
}

type Iterated struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Iterated) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Iterated).Spec.A = s.Spec.A + iterated[0]["a"]
	return nil
}

func (s *Iterated) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Iterated).Spec.A
	return nil
}
