package fair

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestWorkIsLogarithmic: the nodes that a request, its grant and its release visit grow with the logarithm
// of the owners, accounts or namespaces that wait.
func TestWorkIsLogarithmic(t *testing.T) {
	const units, asked = 16, 500
	levels := map[string]func(i int) Claim{
		"accounts":   func(i int) Claim { return Claim{Units: 1, Account: fmt.Sprint(i)} },
		"namespaces": func(i int) Claim { return Claim{Units: 1, Account: "a", Namespace: fmt.Sprint(i)} },
		"owners":     func(i int) Claim { return Claim{Units: 1, Owner: fmt.Sprint(i), Account: "a"} },
		"large":      func(i int) Claim { return Claim{Units: 4, Account: fmt.Sprint(i), Large: true} },
		"of all sizes": func(i int) Claim {
			return Claim{Units: int64(1 + i%8), Owner: fmt.Sprint(i % 7), Account: fmt.Sprint(i), Large: i%3 == 0}
		},
	}
	for name, claim := range levels {
		for _, waiting := range []int{10, 100, 1000, 5000} {
			s := NewSemaphore(Config{Limit: units, MaxWaiting: 1 << 30, Owners: true, Namespaces: true})
			var running []Claim
			var queue []*waiter
			ask := func(i int) {
				if w, _ := s.enter(claim(i)); w == nil {
					running = append(running, claim(i))
				} else {
					queue = append(queue, w)
				}
			}
			for i := 0; len(queue) < waiting; i++ {
				ask(i)
			}
			before, granted, next := s.visits, 0, waiting+units
			for granted < asked {
				s.Release(running[0])
				running = running[1:]
				kept := queue[:0]
				for _, w := range queue {
					if w.place == nil {
						running = append(running, w.Claim)
						granted++
						continue
					}
					kept = append(kept, w)
				}
				queue = kept
				for len(queue) < waiting {
					next++
					ask(next)
				}
			}
			most := 20 * bits.Len(uint(waiting))
			if steps := (s.visits - before) / granted; steps > most {
				t.Errorf("%s: with %d waiting, a grant takes %d steps, want %d at most", name, waiting, steps, most)
			}
		}
	}
}

// TestNobodyIsForgotten: as requests come, end and give up, each waiter that may enter by the rules of
// shares, told from all accounts, was granted its units at once.
func TestNobodyIsForgotten(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 3))
		s := NewSemaphore(Config{Limit: 24, MaxWaiting: 60, Owners: seed%2 == 0, Namespaces: seed%3 == 0})
		var running []Claim
		var queue []*waiter
		for range 600 {
			switch n := random.IntN(10); {
			case n < 5:
				c := Claim{
					Units: int64(1 + random.IntN(6)), Owner: fmt.Sprint(random.IntN(3)), Account: fmt.Sprint(random.IntN(4)),
					Namespace: fmt.Sprint(random.IntN(3)), Large: random.IntN(3) == 0,
				}
				if w, err := s.enter(c); w != nil {
					queue = append(queue, w)
				} else if err == nil {
					running = append(running, c)
				}
			case n < 9 && len(running) > 0:
				i := random.IntN(len(running))
				s.Release(running[i])
				running = append(running[:i], running[i+1:]...)
			case len(queue) > 0:
				s.leave(queue[random.IntN(len(queue))])
			}
			kept := queue[:0]
			for _, w := range queue {
				if granted(w) {
					running = append(running, w.Claim)
				} else if w.place != nil {
					kept = append(kept, w)
				}
			}
			queue = kept
			for _, w := range queue {
				path := s.path(w.Claim)
				if path[len(path)-1].queue.Front() == w.place && s.fair(path, w.Claim, 0) && !s.yieldsByAll(w.Claim) {
					t.Fatalf("seed %d: %+v waits, and may enter beside %d units in use", seed, w.Claim, s.used)
				}
			}
		}
		for _, c := range running {
			s.Release(c)
		}
		for len(queue) > 0 {
			w := queue[0]
			queue = queue[1:]
			if granted(w) {
				s.Release(w.Claim)
			} else if !s.leave(w) {
				t.Fatalf("seed %d: a waiter neither has units nor waits", seed)
			}
		}
		if used, waiting := s.Load(); used != 0 || waiting != 0 || s.accounts() != 0 || s.large != 0 {
			t.Fatalf("seed %d: %d used, %d waiting and %d accounts at the end, want none", seed, used, waiting, s.accounts())
		}
	}
}

// yieldsByAll is yields by looking at all accounts.
func (s *tree) yieldsByAll(c Claim) bool {
	path := append([]*node(nil), s.path(c)...)
	for i, n := range path {
		if n.used == 0 {
			continue
		}
		siblings := []*node{n.parent}
		if i == 0 {
			siblings = s.roots[:]
		}
		for _, parent := range siblings {
			for _, other := range parent.children {
				blocked := i > 0 || c.Large || other.mostUnits() > s.config.Limit-s.used
				if other.waiting > 0 && other.used == 0 && other.turn < n.turn && blocked {
					return true
				}
			}
		}
	}
	return false
}

// mostUnits returns the most units of a request that is next in a queue at or below a node.
func (n *node) mostUnits() (most int64) {
	if first := n.queue.Front(); first != nil {
		return first.Value.(*waiter).Units
	}
	for _, child := range n.children {
		most = max(most, child.mostUnits())
	}
	return most
}
