// Package turns divides a worker among owners: the owner that has used it least is next, so that
// one owner's slow work delays each other owner by one piece of work at most. It reads no clock;
// callers measure the work and charge it.
package turns

import (
	"maps"
	"time"
)

// maxIdle bounds the owners without work whose account is kept. A caller has a few hundred owners
// at a time; more than that are names that come and go.
const maxIdle = 1024

// Turns has an account for each owner with work. The zero value is ready for use. It is not safe
// for concurrent use.
type Turns struct {
	used map[string]time.Duration // since the last moment without work
	work map[string]int           // pieces of work that wait or are being done
}

// Join records a new piece of work. An owner without work starts at the account of the owner that
// has used least: time without work is not saved up.
func (t *Turns) Join(owner string) {
	if t.work == nil {
		t.used, t.work = map[string]time.Duration{}, map[string]int{}
	}
	if t.work[owner] == 0 {
		t.used[owner] = max(t.used[owner], t.least())
	}
	t.work[owner]++
}

// least returns the lowest account of an owner with work; 0 without work.
func (t *Turns) least() time.Duration {
	least := time.Duration(-1)
	for owner := range t.work {
		if used := t.used[owner]; least < 0 || used < least {
			least = used
		}
	}
	return max(least, 0)
}

// Charge records that an owner has used the worker for so long.
func (t *Turns) Charge(owner string, used time.Duration) {
	if t.work[owner] > 0 {
		t.used[owner] += used
	}
}

// Leave records the end of a piece of work. The accounts end with the last piece of all owners.
func (t *Turns) Leave(owner string) {
	if t.work[owner]--; t.work[owner] <= 0 {
		delete(t.work, owner)
	}
	switch {
	case len(t.work) == 0:
		clear(t.used)
	case len(t.used)-len(t.work) > maxIdle:
		maps.DeleteFunc(t.used, func(owner string, _ time.Duration) bool { return t.work[owner] == 0 })
	}
}

// Used returns the account of an owner.
func (t *Turns) Used(owner string) time.Duration { return t.used[owner] }

// Nested divides a worker among owners, and each owner's part among its kinds: an owner with many
// kinds gets no more than one with a single kind. The zero value is ready for use. It is not safe
// for concurrent use.
type Nested struct {
	owners Turns
	kinds  map[string]*Turns // by owner with work
}

// Join records a new piece of work for a kind of an owner, see Turns.Join.
func (n *Nested) Join(owner, kind string) {
	if n.kinds == nil {
		n.kinds = map[string]*Turns{}
	}
	if n.kinds[owner] == nil {
		n.kinds[owner] = &Turns{}
	}
	n.owners.Join(owner)
	n.kinds[owner].Join(kind)
}

// Charge records that a kind of an owner has used the worker for so long.
func (n *Nested) Charge(owner, kind string, used time.Duration) {
	n.owners.Charge(owner, used)
	if t := n.kinds[owner]; t != nil {
		t.Charge(kind, used)
	}
}

// Leave records the end of a piece of work.
func (n *Nested) Leave(owner, kind string) {
	n.owners.Leave(owner)
	if t := n.kinds[owner]; t != nil {
		if t.Leave(kind); len(t.work) == 0 {
			delete(n.kinds, owner)
		}
	}
}

// Used returns the account of a kind among those of its owner.
func (n *Nested) Used(owner, kind string) time.Duration {
	if t := n.kinds[owner]; t != nil {
		return t.Used(kind)
	}
	return 0
}

// Owner returns the account of an owner.
func (n *Nested) Owner(owner string) time.Duration { return n.owners.Used(owner) }
