package rawjson

import "bytes"

// Equal reports whether a and b are the same JSON value: objects regardless of the order of their
// members, arrays element by element, strings regardless of their escapes, numbers by their text
// (1, 1.0 and 1e0 differ). It is false if either is not one strictly valid document, unless the two
// are byte for byte equal, in which case they are not checked. Time grows in proportion to a and b,
// and memory to the shorter: at most some forty times its bytes.
func Equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	x, ok := index(a, len(a))
	if !ok {
		return false
	}
	y, ok := index(b, len(x)) // equal values contain equally many values
	return ok && equal(x, y, 0, 0)
}

// node is one value of a document. The nodes are in the order of the document: the first child of a
// container follows it, and the next sibling follows all descendants.
type node struct {
	kind Kind
	key  string // of a member
	text []byte // of a string, a number or a literal: its content, unescaped
	size int    // of a container: how many children
	next int    // index of the node after the descendants
}

// index checks a document and lists its values. It stops at a document with more than most values.
func index(doc []byte, most int) ([]node, bool) {
	var s Scanner
	s.Reset(doc, 0)
	nodes := walk(&s, nil, "", most)
	return nodes, len(nodes) <= most && s.End()
}

// walk appends the next value and its descendants, but no more than one beyond most. Its recursion
// is bounded by the Scanner's depth.
func walk(s *Scanner, nodes []node, key string, most int) []node {
	at := len(nodes)
	if at > most {
		return nodes
	}
	nodes = append(nodes, node{kind: s.Peek(), key: key})
	size := 0
	switch nodes[at].kind {
	case Object:
		s.Object()
		for m, ok := s.Member(); ok && len(nodes) <= most; m, ok = s.Member() {
			nodes = walk(s, nodes, string(m.Key), most)
			size++
		}
	case Array:
		s.Array()
		for len(nodes) <= most && s.Element() {
			nodes = walk(s, nodes, "", most)
			size++
		}
	case String:
		_, text := s.String()
		nodes[at].text = bytes.Clone(text)
	default:
		nodes[at].text = s.Skip().Of(s.doc)
	}
	nodes[at].size, nodes[at].next = size, len(nodes)
	return nodes
}

// equal compares the value at index i of x with the one at index j of y.
func equal(x, y []node, i, j int) bool {
	p, q := &x[i], &y[j]
	if p.kind != q.kind || p.size != q.size || !bytes.Equal(p.text, q.text) {
		return false
	}
	i, j = i+1, j+1
	n := 0
	for ; n < p.size && x[i].key == y[j].key; n++ {
		if !equal(x, y, i, j) {
			return false
		}
		i, j = x[i].next, y[j].next
	}
	if n == p.size {
		return true
	}
	// From here on the members are in another order.
	rest := make(map[string]int, p.size-n)
	for ; j < q.next; j = y[j].next {
		rest[y[j].key] = j
	}
	for ; i < p.next; i = x[i].next {
		j, ok := rest[x[i].key]
		if !ok || !equal(x, y, i, j) {
			return false
		}
	}
	return true
}
