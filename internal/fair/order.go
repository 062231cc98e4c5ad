package fair

import (
	"math"
	"math/rand/v2"
)

// order has the waiting children of a node in the order of their turns. It is a treap, a binary tree
// balanced by random priorities, whose nodes know the least need and the most units of their part of
// it. Each operation visits O(log n) nodes: an order with thousands of accounts costs its users
// microseconds (TestWorkIsLogarithmic).
type order struct {
	top    *node
	visits *int // counts visited nodes, for tests
}

// place is where a node stands in an order.
type place struct {
	left, right *node
	priority    uint64
	least, most int64 // of the nodes below it, and its own: the least need, the most units
}

const (
	never = math.MaxUint64    // the turn of no node: after all others
	none  = math.MaxInt64 / 2 // the need of no node: more than there can be units
)

// insert adds a node, whose turn no other node has.
func (o *order) insert(n *node) {
	less, more := o.split(o.top, n.turn)
	n.place = place{priority: rand.Uint64()}
	n.sum()
	o.top = o.merge(o.merge(less, n), more)
}

// remove removes a node.
func (o *order) remove(n *node) {
	less, more := o.split(o.top, n.turn)
	_, more = o.split(more, n.turn+1)
	o.top = o.merge(less, more)
}

// first returns the earliest turn; never if the order is empty.
func (o *order) first() uint64 {
	turn := uint64(never)
	for n := o.top; n != nil; n = n.left {
		*o.visits++
		turn = n.turn
	}
	return turn
}

// least returns the least need.
func (o *order) least() int64 { return leastOf(o.top) }

// leastBefore returns the least need among turns before one.
func (o *order) leastBefore(turn uint64) int64 {
	least := int64(none)
	for n := o.top; n != nil; {
		*o.visits++
		if n.turn >= turn {
			n = n.left
			continue
		}
		least = min(least, n.need, leastOf(n.left))
		n = n.right
	}
	return least
}

// fitting returns the node with the earliest turn that needs no more than there is; nil if all do.
func (o *order) fitting(room int64) *node {
	for n := o.top; n != nil; {
		*o.visits++
		switch {
		case leastOf(n.left) <= room:
			n = n.left
		case n.need <= room:
			return n
		case leastOf(n.right) <= room:
			n = n.right
		default:
			return nil
		}
	}
	return nil
}

// firstAbove returns the earliest turn of a node that waits for more units than some; never if there is
// none.
func (o *order) firstAbove(units int64) uint64 {
	for n := o.top; n != nil; {
		*o.visits++
		switch {
		case mostOf(n.left) > units:
			n = n.left
		case n.units > units:
			return n.turn
		default:
			n = n.right
		}
	}
	return never
}

// split cuts a part of the order into turns before one and the others.
func (o *order) split(n *node, turn uint64) (less, more *node) {
	if n == nil {
		return nil, nil
	}
	*o.visits++
	if n.turn < turn {
		n.right, more = o.split(n.right, turn)
		less = n
	} else {
		less, n.left = o.split(n.left, turn)
		more = n
	}
	n.sum()
	return less, more
}

// merge joins two parts of the order, the turns of less being before those of more.
func (o *order) merge(less, more *node) *node {
	if less == nil {
		return more
	}
	if more == nil {
		return less
	}
	*o.visits++
	top := less
	if less.priority >= more.priority {
		less.right = o.merge(less.right, more)
	} else {
		more.left = o.merge(less, more.left)
		top = more
	}
	top.sum()
	return top
}

// sum sets the sums of a node and the nodes below it.
func (n *node) sum() {
	n.least = min(n.need, leastOf(n.left), leastOf(n.right))
	n.most = max(n.units, mostOf(n.left), mostOf(n.right))
}

func leastOf(n *node) int64 {
	if n == nil {
		return none
	}
	return n.least
}

func mostOf(n *node) int64 {
	if n == nil {
		return 0
	}
	return n.most
}
