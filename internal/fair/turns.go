package fair

// The methods of this file are called with Semaphore.mu held.

// fits reports whether a claim may enter: its units are free, it is within its share, and it need not
// leave them to somebody who waits.
func (s *tree) fits(path []*node, c Claim) bool { return s.fair(path, c, 0) && !s.yields(path, c) }

// fair reports whether the units of a claim are free, and its account then holds at most as many as were
// free before. An owner may take as much; its accounts share what it may still take, and the namespaces
// of an account share what that may still take. Large requests leave their quarter; only those units
// count as free for them that they may take: otherwise two accounts could take all of them. A request
// that is larger than a share enters alone.
func (s *tree) fair(path []*node, c Claim, held int64) bool {
	if c.Units > s.config.Limit-s.used || c.Large && s.large != held && s.large+c.Units > s.largeLimit() {
		return false
	}
	room := s.config.Limit - s.used
	if c.Large {
		room = min(room, s.largeLimit()-s.large)
	}
	for _, n := range path {
		if n.used != held && n.used+c.Units > room {
			return false
		}
		room -= n.used
	}
	return true
}

// room returns how much a waiter of small or large claims may need (see needs) to be granted its units.
func (s *tree) room(large bool) int64 {
	free := s.config.Limit - s.used
	if large && s.large > 0 { // alone, it may take more than large requests may together
		free = min(free, s.largeLimit()-s.large)
	}
	return free
}

// largeLimit returns the units that large requests may hold together.
func (s *tree) largeLimit() int64 { return s.config.Limit - s.config.Limit/4 }

// yields reports whether a claim must leave free units to an account that waits, holds nothing, and whose
// turn is earlier. Otherwise accounts with small claims would take each unit as it becomes free. An
// account that holds nothing yields to nobody: it takes its first units at once, also beside a claim that
// waits for slow requests to end.
func (s *tree) yields(path []*node, c Claim) bool {
	if s.waiting == 0 {
		return false
	}
	before := s.firstEmpty(c.Large)
	for _, n := range path {
		if n.used > 0 && before < n.turn {
			return true
		}
		before = n.empty.first()
	}
	return false
}

// firstEmpty returns the earliest turn of an owner, or an account without owners, that holds nothing and
// waits, and to which the others therefore leave units. Small claims leave none to a large one whose units
// are free, because only large ones keep it waiting.
func (s *tree) firstEmpty(large bool) uint64 {
	smalls, larges := s.roots[0].empty, s.roots[1].empty
	if large {
		return min(smalls.first(), larges.first())
	}
	return min(smalls.first(), larges.firstAbove(s.config.Limit-s.used))
}

// grant gives free units to waiters: the owners take turns, then the accounts of each, and the
// requests of an account go in order of arrival.
func (s *tree) grant() {
	for s.waiting > 0 {
		var top *node
		for i, root := range s.roots {
			if n := root.next(s.room(i == 1), s.firstEmpty(i == 1)); n != nil && (top == nil || n.turn < top.turn) {
				top = n
			}
		}
		if top == nil {
			return
		}
		n, room := top, s.room(top.parent == s.roots[1])
		for n.queue.Len() == 0 {
			room -= n.used
			n = n.next(room, n.empty.first())
		}
		w := n.queue.Front().Value.(*waiter)
		path := s.path(w.Claim)
		s.quit(path, w)
		s.give(path, w.Claim)
		close(w.granted)
	}
}

// next returns the child that is granted units next: the first that fits into the room, of those that hold
// nothing or whose turn is before one. It is nil if there is none.
func (n *node) next(room int64, before uint64) *node {
	found := n.empty.fitting(room)
	if h := n.holding.fitting(room); h != nil && h.turn < before && (found == nil || h.turn < found.turn) {
		found = h
	}
	return found
}

// give takes units for an account, whose turn is over with it.
func (s *tree) give(path []*node, c Claim) {
	detach(path)
	s.hold(path, c, c.Units)
	s.turn++
	for _, n := range path {
		n.turn = s.turn
	}
	attach(path)
}

// hold counts units that a claim takes, or gives back.
func (s *tree) hold(path []*node, c Claim, units int64) {
	s.used += units
	if c.Large {
		s.large += units
	}
	for _, n := range path {
		n.used += units
	}
}

// join adds a waiter to the queue of its account.
func (s *tree) join(path []*node, w *waiter) {
	detach(path)
	w.place = path[len(path)-1].queue.PushBack(w)
	s.turn++ // a new account comes after those that wait already
	for _, n := range path {
		if n.turn == 0 {
			n.turn = s.turn
		}
		n.waiting++
	}
	s.waiting++
	attach(path)
}

// quit removes a waiter from the queue of its account.
func (s *tree) quit(path []*node, w *waiter) {
	detach(path)
	path[len(path)-1].queue.Remove(w.place)
	w.place = nil
	for _, n := range path {
		n.waiting--
	}
	s.waiting--
	attach(path)
}

// leave removes a waiter that gives up. It returns false if the waiter has its units already.
func (s *Semaphore) leave(w *waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w == nil || w.place == nil {
		return false
	}
	path := s.path(w.Claim)
	s.quit(path, w)
	s.forget(path)
	s.grant() // the next waiter of the account may need fewer units
	return true
}
