package fair

import "slices"

// The methods of this file are called with s.mu held.

// fits reports whether a claim may enter: its units are free, its account then holds at most what
// was free before, and large requests leave their quarter. A request that is larger than a share
// enters alone.
func (s *Semaphore) fits(c Claim) bool {
	free := s.config.Limit - s.used
	held := s.accounts[c.owner()].used
	return c.Units <= free && (held == 0 || held+c.Units <= free) &&
		(!c.Large || s.large == 0 || s.large+c.Units <= s.config.Limit-s.config.Limit/4)
}

// grant gives free units to waiters: the accounts take turns, and the requests of an account go in
// order of arrival.
func (s *Semaphore) grant() {
	for {
		var next *account
		for _, a := range s.accounts {
			if len(a.queue) > 0 && (next == nil || a.turn < next.turn) && s.fits(a.queue[0].Claim) {
				next = a
			}
		}
		if next == nil {
			return
		}
		w := next.queue[0]
		s.remove(w)
		s.give(next, w.Claim)
		close(w.granted)
	}
}

// give takes units for an account, whose turn is over with it.
func (s *Semaphore) give(a *account, c Claim) {
	s.used += c.Units
	if c.Large {
		s.large += c.Units
	}
	a.used += c.Units
	s.turn++
	a.turn = s.turn
}

// leave removes a waiter that gives up. It returns false if the waiter has its units already.
func (s *Semaphore) leave(w *waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.remove(w) {
		return false
	}
	s.forget(w.owner())
	s.grant() // the next waiter of the account may need fewer units
	return true
}

// remove removes a waiter from the queue of its account, and reports whether it was there.
func (s *Semaphore) remove(w *waiter) bool {
	a := s.accounts[w.owner()]
	if a == nil {
		return false
	}
	i := slices.Index(a.queue, w)
	if i < 0 {
		return false
	}
	a.queue = slices.Delete(a.queue, i, i+1)
	s.waiting--
	return true
}

// account returns an account, and makes it if it holds nothing and does not wait.
func (s *Semaphore) account(o owner) *account {
	a := s.accounts[o]
	if a == nil {
		a = &account{}
		s.accounts[o] = a
	}
	return a
}

// forget drops an account that holds nothing and does not wait, so that memory is bounded by the
// units and the queue.
func (s *Semaphore) forget(o owner) {
	if a := s.accounts[o]; a != nil && a.used == 0 && len(a.queue) == 0 {
		delete(s.accounts, o)
	}
}
