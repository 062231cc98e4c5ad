package serve

import (
	"net/http"
	"time"
)

// stalledAfter is the time without progress after which a request counts as stalled: far longer
// than an API server pauses within a request.
const stalledAfter = time.Second

// rank orders connections: those of the first rank are evicted first. Half of the places belong to
// connections of which a module converted a review, and half to others, which begin like that; either half
// may use the free places of the other. So clients that only connect cannot evict connections that
// are in use, and a new client finds a place between clients that are idle.
type rank int

const (
	rankUseless rank = iota // an unproven connection that stalled, or if more than half are unproven
	rankStalled             // had a review converted; the next has stalled
	rankIdle                // had a review converted; is idle or sends the next
	rankNew                 // an unproven connection, if at most half are unproven
	rankAtWork              // its review is converted, or its answer is written with progress: never evicted
)

// victim returns the connection to evict; nil if there is none. Within the first rank that has
// connections these are the connections of the client with most of them, because a client that
// opens many connections is to evict its own. The oldest progress decides between clients, and
// within the client that it names, idle connections go first. A connection with bytes to read waits
// for the gateway, not for its client, and stays if another one can go. Clients with a hundredth of
// the places or less count as equals: otherwise hundreds of hostile addresses with one connection
// each would evict the second connection of an API server. The caller holds l.mu.
func (l *connections) victim() (found *connection) {
	now, unproven := time.Since(l.began), 0
	for _, c := range l.open {
		if !c.proven.Load() {
			unproven++
		}
	}
	first := rankAtWork
	for _, c := range l.open {
		c.rank = c.standing(now, unproven > l.most/2)
		c.client.candidates = 0
		first = min(first, c.rank)
	}
	if first == rankAtWork {
		return nil
	}
	for _, c := range l.open {
		if c.rank == first {
			c.client.candidates++
		}
	}
	for range maxPending {
		next := l.first(first)
		if next == nil {
			break
		}
		if !pending(next.Conn) {
			return next
		}
		if found == nil {
			found = next
		}
		next.rank = rankAtWork
	}
	return found
}

// maxPending bounds the connections that are examined for unread bytes for one eviction.
const maxPending = 20

// first returns the connection of a rank that is evicted first; nil if there is none.
func (l *connections) first(r rank) (found *connection) {
	equals := l.most / 100
	for _, c := range l.open {
		if c.rank == r && (found == nil || c.before(found, equals)) {
			found = c
		}
	}
	if r != rankIdle || found == nil || found.idle() {
		return found
	}
	sending := found
	for _, c := range l.open {
		if c.rank == r && c.client == sending.client && c.idle() && (found == sending || c.before(found, equals)) {
			found = c
		}
	}
	return found
}

// standing returns the rank of a connection.
func (c *connection) standing(now time.Duration, manyUnproven bool) rank {
	phase, proven, stalled := c.phase.Load(), c.proven.Load(), now-time.Duration(c.since.Load()) >= stalledAfter
	switch {
	case phase == phaseReview, phase == phaseAnswer && !stalled:
		return rankAtWork
	case proven && c.idle():
		return rankIdle
	case proven && stalled:
		return rankStalled
	case proven:
		return rankIdle
	case stalled || manyUnproven:
		return rankUseless
	}
	return rankNew
}

// before reports whether a connection is evicted before another one of its rank.
func (c *connection) before(other *connection, equals int) bool {
	if a, b := max(c.client.candidates, equals), max(other.client.candidates, equals); a != b {
		return a > b
	}
	return c.since.Load() < other.since.Load()
}

// idle reports whether a connection awaits its next request.
func (c *connection) idle() bool { return c.state.Load() == int32(http.StateIdle) }
