package v1

import (
	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var words []string

var _ = learn("a")

func learn(word string) bool {
	words = append(words, word)
	return true
}

type Blank struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Blank) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Blank).Spec.A = s.Spec.A + words[0]
	return nil
}

func (s *Blank) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Blank).Spec.A
	return nil
}
