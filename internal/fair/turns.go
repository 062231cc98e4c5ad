package fair

import (
	"cmp"
	"slices"
)

// The methods of this file are called with s.mu held.

// fits reports whether a claim may enter: its units are free, it is within its share, and it need not
// leave them to somebody who waits.
func (s *Semaphore) fits(c Claim) bool { return s.fair(c) && !s.yields(c) }

// fair reports whether the units of a claim are free, its account then holds at most as many as were
// free before, or with owners as many as its owner may still take, and large requests leave their
// quarter. Of large requests only those units count as free that they may take: otherwise two accounts
// could take all of them. A request that is larger than a share enters alone.
func (s *Semaphore) fair(c Claim) bool {
	free := s.config.Limit - s.used
	room := free // for the account: with owners, as much as its owner may still take
	if c.Large {
		room = min(room, s.largeLimit()-s.large)
	}
	within := func(held int64) bool { return held == 0 || held+c.Units <= room }
	a, o := s.account(c)
	if o != nil {
		if !within(o.used) {
			return false
		}
		room -= o.used
	}
	leavesQuarter := !c.Large || s.large == 0 || s.large+c.Units <= s.largeLimit() // to small requests
	return c.Units <= free && within(a.used) && leavesQuarter
}

// largeLimit returns the units that large requests may hold together.
func (s *Semaphore) largeLimit() int64 { return s.config.Limit - s.config.Limit/4 }

// yields reports whether a claim must leave free units to a waiting account: one that holds nothing,
// whose turn is earlier, and that needs more units than are free. Otherwise accounts with small claims
// would take each unit as it becomes free. An account that holds nothing yields to nobody: it takes
// its first units at once, also beside a claim that waits for slow requests to end.
func (s *Semaphore) yields(c Claim) bool {
	if s.waiting == 0 {
		return false
	}
	a, o := s.account(c)
	before := func(waiting, asking *account) bool {
		return waiting.used == 0 && asking.used > 0 && waiting.turn < asking.turn
	}
	for _, other := range s.accounts {
		if len(other.queue) == 0 {
			continue
		}
		next := other.queue[0].Claim
		if !c.Large && s.used+next.Units <= s.config.Limit { // only large requests keep it waiting
			continue
		}
		switch _, its := s.account(next); {
		case o == its && before(other, a), o != its && before(its, o):
			return true
		}
	}
	return false
}

// grant gives free units to waiters: the owners take turns, then the accounts of each, and the
// requests of an account go in order of arrival.
func (s *Semaphore) grant() {
	for {
		var next, its *account // an account, and its owner
		for _, a := range s.accounts {
			if len(a.queue) == 0 || !s.fits(a.queue[0].Claim) {
				continue
			}
			_, o := s.account(a.queue[0].Claim)
			if next == nil || cmp.Or(cmp.Compare(turnOf(o), turnOf(its)), cmp.Compare(a.turn, next.turn)) < 0 {
				next, its = a, o
			}
		}
		if next == nil {
			return
		}
		w := next.queue[0]
		s.remove(w)
		s.give(w.Claim)
		close(w.granted)
	}
}

// turnOf returns the turn of an owner; 0 without owners.
func turnOf(owner *account) uint64 {
	if owner == nil {
		return 0
	}
	return owner.turn
}

// give takes units for an account, whose turn is over with it.
func (s *Semaphore) give(c Claim) {
	s.used += c.Units
	if c.Large {
		s.large += c.Units
	}
	s.turn++
	a, o := s.account(c)
	a.used, a.turn = a.used+c.Units, s.turn
	if o != nil {
		o.used, o.turn = o.used+c.Units, s.turn
	}
}

// leave removes a waiter that gives up. It returns false if the waiter has its units already.
func (s *Semaphore) leave(w *waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.remove(w) {
		return false
	}
	s.forget(w.Claim)
	s.grant() // the next waiter of the account may need fewer units
	return true
}

// remove removes a waiter from the queue of its account, and reports whether it was there.
func (s *Semaphore) remove(w *waiter) bool {
	a := s.accounts[w.key()]
	if a == nil {
		return false
	}
	i := slices.Index(a.queue, w)
	if i < 0 {
		return false
	}
	a.queue = slices.Delete(a.queue, i, i+1)
	a.waiting--
	if o := s.owners[w.ownerKey()]; o != nil {
		o.waiting--
	}
	s.waiting--
	return true
}

// account returns an account and its owner, and makes them if they hold nothing and do not wait. The
// owner is nil without owners.
func (s *Semaphore) account(c Claim) (a, owner *account) {
	if a = s.accounts[c.key()]; a == nil {
		a = &account{}
		s.accounts[c.key()] = a
	}
	if !s.config.Owners {
		return a, nil
	}
	if owner = s.owners[c.ownerKey()]; owner == nil {
		owner = &account{}
		s.owners[c.ownerKey()] = owner
	}
	return a, owner
}

// forget drops an account, and its owner, that holds nothing and does not wait, so that memory is
// bounded by the units and the queue.
func (s *Semaphore) forget(c Claim) {
	if a := s.accounts[c.key()]; a != nil && a.used == 0 && a.waiting == 0 {
		delete(s.accounts, c.key())
	}
	if o := s.owners[c.ownerKey()]; o != nil && o.used == 0 && o.waiting == 0 {
		delete(s.owners, c.ownerKey())
	}
}
