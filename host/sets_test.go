package host

import "testing"

// countedSet counts its users.
type countedSet struct {
	users   int
	retired bool
	retire  func() // called by Acquire; nil: nothing
}

func (s *countedSet) Acquire() bool {
	if s.retire != nil {
		s.retire()
	}
	if s.retired {
		return false
	}
	s.users++
	return true
}

func (s *countedSet) Release() { s.users-- }

// TestSets tests that a review holds the set of its routes, and the next one if its set is retired
// while it is acquired.
func TestSets(t *testing.T) {
	var s Sets
	if routes, release := s.Pin(); routes != nil || s.Routes() != nil {
		t.Error("there are routes before the first set")
	} else {
		release()
	}
	first, second := &countedSet{}, &countedSet{}
	one, two := NewRoutes(nil), NewRoutes(nil)
	s.Replace(first, one)
	routes, release := s.Pin()
	if routes != one || s.Routes() != one || first.users != 1 {
		t.Errorf("the first set has %d users", first.users)
	}
	first.retire = func() { // between the load and the call of Acquire
		s.Replace(second, two)
		first.retired = true
	}
	if routes, release := s.Pin(); routes != two || second.users != 1 {
		t.Errorf("the second set has %d users", second.users)
	} else {
		release()
	}
	release()
	if first.users != 0 || second.users != 0 {
		t.Errorf("%d and %d users at the end", first.users, second.users)
	}
	second.retired = true
	if routes, _ := s.Pin(); routes != nil {
		t.Error("a set is pinned that is retired, without a newer one")
	}
}
