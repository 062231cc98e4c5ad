// Package fair divides scarce units (places of reviews, bytes) between accounts, so that one account
// with many requests cannot keep the others waiting.
//
// One rule does it: a request enters only if its account then holds at most as many units as were
// free before. So
//
//   - an account alone holds half of the limit, and the other half stays free for the next account;
//   - an account that holds nothing needs only free units. It enters at once while another account
//     holds everything that it can get;
//   - shares follow from the number of accounts at work, and need no configuration.
//
// When units are free again, the waiting accounts get them in turn: an account with a waiting
// request is served after at most one request of each other account (TestTurns). A request for
// several units gets them, too: accounts that hold units leave what becomes free to an account that
// waits and holds nothing (TestLargeClaimsAreNotStarved).
//
// Large requests have three quarters of the units, to which the rule applies as well
// (TestLargeRequestsShareTheirPart).
//
// With owners, the rule and the turns hold for owners first, and then for the accounts of each: more
// accounts give an owner no larger share (TestTurnsOfOwners), and one account leaves room for the others
// of its owner (TestKindsOfOneOwner). With namespaces they then hold for the namespaces of an account.
//
// The work of a request grows with the logarithm of the accounts that wait (order.go).
//
// The rule is that of dynamic thresholds for buffers that ports of a switch share (Choudhury and
// Hahne, Dynamic queue length thresholds for shared-memory packet switches, 1998), with alpha = 1.
package fair

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// Reasons why Acquire fails. Both mean overload: the caller answers 429 and the API server tries
// again.
var (
	ErrFull = errors.New("the queue is full")
	ErrWait = errors.New("waited too long in the queue")
)

// Claim is a request for units.
type Claim struct {
	Units int64
	// Account is who asks. The empty name is an account like others.
	Account string
	// Owner is whose account it is, if Config.Owners is set. The rule holds for owners, and within
	// an owner for its accounts.
	Owner string
	// Namespace is the part of the account that asks, if Config.Namespaces is set.
	Namespace string
	// Large requests are an account of their own beside the small ones of the same name, and those
	// of all names together leave a quarter of the limit to small requests.
	Large bool
}

// Config configures a Semaphore.
type Config struct {
	Limit      int64         // units
	MaxWaiting int           // requests in the queue; negative = none
	Wait       time.Duration // the longest time in the queue
	Owners     bool          // divide the units among owners first
	Namespaces bool          // divide those of an account among its namespaces
	// OverShare is called for each request that has to wait, or is rejected, although its units are
	// free: its account has its share. It must not block. Nil = nobody asks.
	OverShare func(Claim)
}

// Semaphore is a weighted semaphore with a short queue. It is safe for concurrent use.
//
// A short queue and an early failure are better than a long queue: the API server repeats a
// rejected review after one second, while a waiting review uses up the 30 s of its user.
//
// golang.org/x/sync/semaphore has one queue in order of arrival and does not bound it.
type Semaphore struct {
	mu sync.Mutex // guards tree but its config, which does not change
	tree
}

type waiter struct {
	Claim
	place   *list.Element // in the queue of its node; nil once it left
	granted chan struct{} // closed, with Semaphore.mu held, when the units belong to the waiter
}

// NewSemaphore returns a semaphore of which nobody holds units.
func NewSemaphore(c Config) *Semaphore {
	s := &Semaphore{tree: tree{config: c}}
	s.roots = [2]*node{s.newNode(), s.newNode()}
	return s
}

// Limit returns the units of the semaphore.
func (s *Semaphore) Limit() int64 { return s.config.Limit }

// Acquire takes the units of a claim, which the caller must release.
//
// # Errors
//
//   - ErrFull: the claim is larger than the limit, or the queue or the account's share of it has no
//     room.
//   - ErrWait: the units were not released in time.
//   - the context's error, if that ended first.
func (s *Semaphore) Acquire(ctx context.Context, c Claim) error {
	w, err := s.enter(c)
	if w == nil {
		return err
	}
	timer := time.NewTimer(s.config.Wait)
	defer timer.Stop()
	return s.await(ctx, timer.C, w)
}

// AcquireBefore is Acquire with a clock of the caller instead of Config.Wait: if the claim has to
// wait, over returns the channel that receives when its time is up.
func (s *Semaphore) AcquireBefore(ctx context.Context, over func() <-chan time.Time, c Claim) error {
	w, err := s.enter(c)
	if w == nil {
		return err
	}
	return s.await(ctx, over(), w)
}

// await waits for the units of a waiter.
func (s *Semaphore) await(ctx context.Context, over <-chan time.Time, w *waiter) error {
	err := ErrWait
	select {
	case <-w.granted:
		return nil
	case <-over:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if s.leave(w) {
		return err
	}
	return nil // granted between the timer and the lock
}

// enter takes the units or joins the queue. Without a waiter, the error is the result.
func (s *Semaphore) enter(c Claim) (*waiter, error) {
	w, over, err := s.take(c)
	if over && s.config.OverShare != nil {
		s.config.OverShare(c)
	}
	return w, err
}

// take is enter under the lock. It also reports whether only the account's share is in the way.
func (s *Semaphore) take(c Claim) (w *waiter, over bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.path(c)
	if path[len(path)-1].waiting == 0 && s.fits(path, c) { // requests of an account do not overtake each other
		s.give(path, c)
		return nil, false, nil
	}
	over = s.used+c.Units <= s.config.Limit
	// The same rule divides the queue.
	room := s.config.MaxWaiting - s.waiting
	rejected := c.Units > s.config.Limit || room <= 0
	for _, n := range path {
		rejected = rejected || n.waiting > 0 && n.waiting >= room
		room -= n.waiting
	}
	if rejected {
		s.forget(path)
		return nil, over, ErrFull
	}
	w = &waiter{Claim: c, granted: make(chan struct{})}
	s.join(path, w)
	return w, over, nil
}

// TryAcquire takes the units without waiting, ahead of all waiters, and reports whether they are free
// and within the account's share. Held units, which the same request took before, do not count: a
// request that is alone may have all that is free.
func (s *Semaphore) TryAcquire(c Claim, held int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.path(c)
	if !s.fair(path, c, held) {
		s.forget(path)
		return false
	}
	s.give(path, c)
	return true
}

// Release returns units that Acquire or TryAcquire took, in one part or several, and grants them to
// waiters.
func (s *Semaphore) Release(c Claim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.path(c)
	detach(path)
	s.hold(path, c, -c.Units)
	attach(path)
	s.forget(path)
	s.grant()
}

// Held returns the units that the owner of a claim holds; without owners, those of its account.
func (s *Semaphore) Held(c Claim) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.path(c)
	defer s.forget(path)
	return path[0].used
}

// Load returns the units in use and the number of waiters.
func (s *Semaphore) Load() (used int64, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.waiting
}
