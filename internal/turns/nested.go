package turns

import "time"

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
