package v1

import (
	"sync"

	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

var lock sync.Mutex

var seen map[string]bool

// Unlocked uses the lock, and changes nothing.
func Unlocked() { lock.Lock(); lock.Unlock() }

func locked() string { lock.Lock(); defer lock.Unlock(); seen = nil; return "" }

type Locked struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Locked) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Locked).Spec.A = s.Spec.A + locked()
	return nil
}

func (s *Locked) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Locked).Spec.A
	return nil
}
