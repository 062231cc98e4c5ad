package turns

import (
	"fmt"
	"testing"
	"time"
)

// next returns the owner of owners that has used least, the first of those that are equal.
func (t *Turns) next(owners ...string) string {
	best := owners[0]
	for _, o := range owners {
		if t.Used(o) < t.Used(best) {
			best = o
		}
	}
	return best
}

// TestOwnerWaitsOneSliceOfEachOther: with n owners at work, an owner whose work is small waits at
// most one slice of each other one, however much work they have.
func TestOwnerWaitsOneSliceOfEachOther(t *testing.T) {
	const slice = 5 * time.Second
	var s Turns
	owners := []string{"good"}
	for i := range 8 {
		owners = append(owners, fmt.Sprintf("slow %d", i))
	}
	for _, o := range owners {
		for range 100 {
			s.Join(o)
		}
	}
	var now, last, longest time.Duration
	for range 2000 {
		o := s.next(owners...)
		if o == "good" {
			longest = max(longest, now-last)
			now += slice / 50
			s.Charge(o, slice/50)
			last = now
			continue
		}
		now += slice
		s.Charge(o, slice)
	}
	if longest > 8*slice {
		t.Errorf("the good owner waited for %v, want at most one slice of each of 8 others, %v", longest, 8*slice)
	}
	if last < now-8*slice {
		t.Errorf("the good owner was last served at %v of %v", last, now)
	}
}

func TestIdleTimeIsNotSavedUp(t *testing.T) {
	var s Turns
	s.Join("busy")
	s.Join("other")
	s.Charge("busy", time.Minute)
	s.Charge("other", time.Hour)
	s.Join("late")
	if got := s.Used("late"); got != time.Minute {
		t.Errorf("a new owner starts at %v, want the least account, 1m", got)
	}
	s.Leave("other")
	s.Join("other")
	if got := s.Used("other"); got != time.Hour {
		t.Errorf("an owner that comes back starts at %v, want its old account, 1h", got)
	}
	for _, o := range []string{"busy", "other", "late"} {
		s.Leave(o)
	}
	s.Join("busy")
	if got := s.Used("busy"); got != 0 {
		t.Errorf("after a moment without work an account is %v, want 0", got)
	}
}

func TestAccountsAreBounded(t *testing.T) {
	var s Turns
	s.Join("stays")
	most := 0
	for i := range 10 * maxIdle {
		o := fmt.Sprint(i)
		s.Join(o)
		s.Charge(o, time.Second)
		s.Leave(o)
		most = max(most, len(s.used)-len(s.work))
	}
	if most != maxIdle {
		t.Errorf("%d idle accounts were kept, want %d at most, and no fewer", most, maxIdle)
	}
	s.Charge("gone", time.Second)
	if s.Used("gone") != 0 {
		t.Error("an owner without work was charged")
	}
}

// TestAccountsOfWorkAreKept: names that come and go do not end the account of an owner with work.
func TestAccountsOfWorkAreKept(t *testing.T) {
	var s Turns
	s.Join("busy")
	s.Charge("busy", time.Minute)
	for i := range 2 * maxIdle {
		owner := fmt.Sprint(i)
		s.Join(owner)
		s.Leave(owner)
	}
	if got := s.Used("busy"); got != time.Minute {
		t.Errorf("the owner with work has used %v, want a minute", got)
	}
}
