package turns

import (
	"fmt"
	"testing"
	"time"
)

// piece is a piece of work of a test.
type piece struct{ owner, kind string }

// next returns the piece that is next: of the owner that has used least, then of its kind that has
// used least.
func (n *Nested) next(pieces []piece) (best int) {
	for i, p := range pieces {
		b := pieces[best]
		switch mine, its := n.Owner(p.owner), n.Owner(b.owner); {
		case p.owner == b.owner && n.Used(p.owner, p.kind) < n.Used(b.owner, b.kind), p.owner != b.owner && mine < its:
			best = i
		}
	}
	return best
}

// TestOwnerWaitsOneSliceOfEachOtherOwner: with n owners at work, an owner whose work is small waits
// at most one slice of each other one, although each other one has a hundred kinds, and new ones all
// the time.
func TestOwnerWaitsOneSliceOfEachOtherOwner(t *testing.T) {
	const slice, others = 5 * time.Second, 6
	var s Nested
	var pieces []piece
	add := func(owner, kind string) {
		s.Join(owner, kind)
		pieces = append(pieces, piece{owner, kind})
	}
	for range 200 {
		add("good", "K.g")
	}
	for o := range others {
		for k := range 100 {
			add(fmt.Sprintf("slow %d", o), fmt.Sprintf("K%d.g", k))
		}
	}
	var now, last, longest time.Duration
	served := map[string]int{}
	for round := range 1000 {
		i := s.next(pieces)
		p, took := pieces[i], slice
		if served[p.owner]++; p.owner == "good" {
			longest = max(longest, now-last)
			took = slice / 100
			clear(served)
		} else if served[p.owner] > 1 && now > others*slice {
			t.Fatalf("round %d: %s had %d slices while the good owner waited", round, p.owner, served[p.owner])
		}
		now += took
		s.Charge(p.owner, p.kind, took)
		s.Leave(p.owner, p.kind)
		pieces[i] = pieces[len(pieces)-1]
		pieces = pieces[:len(pieces)-1]
		if p.owner == "good" {
			last = now
		}
		add(p.owner, fmt.Sprintf("New%d.g", round)) // each owner invents a kind for each that was served
	}
	if longest > others*slice || now-last > others*slice {
		t.Errorf("the good owner waited for %v, and for %v at the end; want at most one slice of each of %d others, %v", longest, now-last, others, others*slice)
	}
}

// TestKindsOfAnOwnerTakeTurns: within an owner, the kinds take turns as without owners.
func TestKindsOfAnOwnerTakeTurns(t *testing.T) {
	var s Nested
	for range 3 {
		s.Join("a", "busy")
	}
	s.Join("a", "quiet")
	s.Charge("a", "busy", time.Minute)
	if s.Used("a", "quiet") != 0 || s.Used("a", "busy") != time.Minute || s.Owner("a") != time.Minute {
		t.Errorf("accounts: quiet %v, busy %v, owner %v", s.Used("a", "quiet"), s.Used("a", "busy"), s.Owner("a"))
	}
	s.Join("b", "busy") // the same kind of another owner has an account of its own
	if s.Used("b", "busy") != 0 || s.Owner("b") != time.Minute {
		t.Errorf("a new owner: kind %v, owner %v, want 0 and the account of the least owner", s.Used("b", "busy"), s.Owner("b"))
	}
	for range 3 {
		s.Leave("a", "busy")
	}
	s.Leave("a", "quiet")
	s.Leave("b", "busy")
	if len(s.kinds) != 0 || s.Owner("a") != 0 {
		t.Errorf("%d owners have accounts without work, and the first owner has used %v", len(s.kinds), s.Owner("a"))
	}
}
