package fair

import "container/list"

// tree has who holds units or waits.
type tree struct {
	config  Config
	used    int64
	large   int64    // of used, held by large requests
	roots   [2]*node // of small and of large claims
	waiting int      // requests in all queues
	turn    uint64   // of the account that was served last, or came last
	spare   []*node  // to be used again
	walk    [3]*node // the path of a claim
	visits  int      // nodes of orders that were visited; see order
}

// node is an owner, an account or a namespace that holds units or waits. The nodes make two trees, of
// small and of large claims, whose roots stand for all of them.
type node struct {
	parent   *node // nil for a root
	name     string
	used     int64
	waiting  int              // requests in the queue, or in those of the nodes below
	turn     uint64           // when it was served last, or came to wait; no two nodes of a parent are equal
	queue    list.List        // of *waiter in order of arrival, for a node without others below it
	children map[string]*node // by name

	// The children that wait: those that hold nothing, and the others.
	empty, holding order

	// Of a node that waits: the order of its parent that it is in, its need (see needs), and the
	// most units that a request waits for which is next in its queue, or in one below.
	in          *order
	need, units int64
	place
}

// path returns the nodes of a claim from the top, without the root, and makes those that hold nothing
// and do not wait. The next call changes it.
func (s *tree) path(c Claim) []*node {
	path, n := s.walk[:0], s.roots[index(c.Large)]
	add := func(name string) {
		n = s.child(n, name)
		path = append(path, n)
	}
	if s.config.Owners {
		add(c.Owner)
	}
	add(c.Account)
	if s.config.Namespaces {
		add(c.Namespace)
	}
	return path
}

func index(large bool) int {
	if large {
		return 1
	}
	return 0
}

// maxSpare bounds the nodes that are kept to be used again: as many as requests commonly hold at a time.
const maxSpare = 256

func (s *tree) child(parent *node, name string) *node {
	n := parent.children[name]
	if n != nil {
		return n
	}
	if last := len(s.spare) - 1; last >= 0 {
		n, s.spare = s.spare[last], s.spare[:last]
	} else {
		n = s.newNode()
	}
	n.parent, n.name = parent, name
	parent.children[name] = n
	return n
}

func (s *tree) newNode() *node {
	return &node{children: map[string]*node{}, empty: order{visits: &s.visits}, holding: order{visits: &s.visits}}
}

// forget drops the nodes of a path that hold nothing and do not wait, so that memory is bounded by the
// units and the queue.
func (s *tree) forget(path []*node) {
	for i := len(path) - 1; i >= 0; i-- {
		n := path[i]
		if n.used > 0 || n.waiting > 0 {
			return
		}
		delete(n.parent.children, n.name)
		if n.turn, n.name = 0, ""; len(s.spare) < maxSpare {
			s.spare = append(s.spare, n)
		}
	}
}

// detach takes the nodes of a path out of their orders, before they are changed; attach puts them
// back.
func detach(path []*node) {
	for _, n := range path {
		if n.in != nil {
			n.in.remove(n)
			n.in = nil
		}
	}
}

// attach puts the nodes of a path that wait into their orders.
func attach(path []*node) {
	for i := len(path) - 1; i >= 0; i-- {
		n := path[i]
		if n.waiting == 0 {
			continue
		}
		n.needs()
		if n.in = &n.parent.holding; n.used == 0 {
			n.in = &n.parent.empty
		}
		n.in.insert(n)
	}
}

// needs sets the need of a node that waits: the units that the nodes of a path hold, from it down to a
// request, and those of the request. By the rule of shares (see fair), the first request that may enter
// below a node with units, or below the root, is the first with a need of at most the room there.
//
// Children that hold units leave free units to a child that waits before them and holds nothing.
func (n *node) needs() {
	if first := n.queue.Front(); first != nil {
		n.units = first.Value.(*waiter).Units
		n.need = n.used + n.units
		return
	}
	n.need = n.used + min(n.empty.least(), n.holding.leastBefore(n.empty.first()))
	n.units = max(mostOf(n.empty.top), mostOf(n.holding.top))
}
