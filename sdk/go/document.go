package crosswalk

// node is one value of a document, with its key if it is a member of an object. Positions refer to
// the document's text or, for new keys and values (newKey, newValue), to the scratch buffer. In
// parent, next, first and last, the index 0 means that there is no such node, because node 0, the
// root, is never a child.
type node struct {
	key, keyEnd  int32 // the key with its quotes; for the root and for elements of arrays both are start
	start, end   int32 // the value; end is 0 as long as it is not known
	parent, next int32
	first, last  int32 // members or elements listed so far
	found        int32 // the member that was asked for last: often it is the next one too
	flags        uint8
}

const (
	entered  = 1 << iota // an object or array whose members are, or are being, listed
	edited               // its members are not those of its text any more
	gone                 // deleted, or moved elsewhere as another node
	newKey               // key is in the scratch buffer
	newValue             // value is in the scratch buffer
	loose                // key or value are new, or not where the text has them
	escaped              // the key has escapes
)

// document is a JSON text with a lazy index: a lookup searches from the front and stops at the
// value it finds. The ends of the values on the current path are not known yet; such values are
// called open. Each open value is the last child of the one before it, and the text after pos is
// unread. A later lookup, or a request for the end of an open value, continues from pos. The
// document therefore reads no byte twice, except in values that it skipped first and later
// searches.
type document struct {
	text    []byte
	scratch []byte
	nodes   []node
	open    int32  // the innermost value that is being listed; -1 = none
	pos     int32  // how far text has been read
	err     error  // the first edit that could not be done, or malformed text
	kept    *stash // of the conversion that is going on; nil outside of one
}

// reset makes d the document of text, which must stay as it is as long as d is used. Buffers are
// kept.
func (d *document) reset(text []byte) {
	d.text, d.scratch, d.err, d.open = text, d.scratch[:0], nil, -1
	start := int32(skipSpace(text, 0))
	d.nodes = append(d.nodes[:0], node{key: start, keyEnd: start, start: start})
	d.pos = start
	if int(start) == len(text) {
		d.malformed(len(text))
	}
}

// source returns the buffer that n's value is in.
func (d *document) source(n int32) []byte {
	if d.nodes[n].flags&newValue != 0 {
		return d.scratch
	}
	return d.text
}

// kind returns the first byte of n's value, which identifies its type, or 0 if the text is
// malformed.
func (d *document) kind(n int32) byte {
	src, at := d.source(n), d.nodes[n].start
	if int(at) >= len(src) {
		return 0
	}
	return src[at]
}

// find returns the member of n with that key, or 0 if there is no such member or n is not an
// object.
func (d *document) find(n int32, key string) int32 {
	if d.nodes[n].flags&entered == 0 {
		if d.kind(n) != '{' {
			return 0
		}
		d.enter(n)
	}
	quoted := int32(len(key) + 2)
	nodes := d.nodes // once: the compiler would load it for each node
	nd := &nodes[n]
	if c := nd.found; c != 0 {
		if m := &nodes[c]; m.keyEnd-m.key == quoted && m.flags&gone == 0 && d.keyIs(c, key) {
			return c
		}
	}
	for c := nd.first; c != 0; {
		m := &nodes[c]
		if (m.keyEnd-m.key == quoted || m.flags&escaped != 0) && m.flags&gone == 0 && d.keyIs(c, key) {
			nd.found = c
			return c
		}
		c = m.next
	}
	if nd.end != 0 {
		return 0
	}
	for {
		c := d.scan(n)
		if c == 0 {
			return 0
		}
		if m := &d.nodes[c]; (m.keyEnd-m.key == quoted || m.flags&escaped != 0) && d.keyIs(c, key) {
			d.nodes[n].found = c
			return c
		}
	}
}

// after returns the member or element of n that follows c (c 0: the first); 0 if there is none.
func (d *document) after(n, c int32) int32 {
	d.enter(n)
	for {
		next := d.nodes[n].first
		if c != 0 {
			next = d.nodes[c].next
		}
		if next == 0 && d.nodes[n].end == 0 {
			next = d.scan(n)
		}
		if next == 0 || d.nodes[next].flags&gone == 0 {
			return next
		}
		c = next
	}
}

// enter begins to list the members of n, an object or array.
func (d *document) enter(n int32) {
	nd := &d.nodes[n]
	if nd.flags&entered != 0 {
		return
	}
	nd.flags |= entered
	if nd.end == 0 {
		// n is the value the search stopped at.
		d.open, d.pos = n, nd.start+1
		return
	}
	// n was skipped before or set by an edit, so its end is known: list all of it now.
	src, i, end := d.source(n), nd.start+1, nd.end
	object := src[nd.start] == '{'
	flags := uint8(0)
	if nd.flags&newValue != 0 {
		flags = newKey | newValue
	}
	for {
		c, at := d.child(n, src, int(i), object, flags)
		if c == 0 {
			return
		}
		if i = int32(valueEnd(src, int(at))); i < 0 || i >= end {
			d.nodes[c].end = end
			d.malformed(int(at))
			return
		}
		d.nodes[c].end = i
	}
}

// scan lists one more member of n, which is open, and returns it; the member's end is not known
// yet. After the last member it returns 0, and n's end is known.
func (d *document) scan(n int32) int32 {
	if d.open != n {
		d.close(n)
	}
	nd := &d.nodes[n]
	if last := nd.last; last != 0 {
		if l := &d.nodes[last]; l.end == 0 {
			end := valueEnd(d.text, int(l.start))
			if end < 0 {
				d.malformed(int(l.start))
				return 0
			}
			l.end, d.pos = int32(end), int32(end)
		}
	}
	if nd.end != 0 {
		return 0 // malformed
	}
	c, at := d.child(n, d.text, int(d.pos), d.text[nd.start] == '{', 0)
	if c != 0 {
		d.pos = at
		return c
	}
	if nd.end != 0 {
		return 0 // malformed
	}
	nd.end, d.pos = at, at
	d.open = -1
	if n != 0 {
		d.open = nd.parent
	}
	return 0
}

// child reads on after a value or the opening bracket in the object or array n. It adds one more
// child, whose value begins at at, or returns 0 and the position after the closing bracket.
func (d *document) child(n int32, src []byte, i int, object bool, flags uint8) (c, at int32) {
	i = skipSpace(src, i)
	if i < len(src) && src[i] == ',' {
		i = skipSpace(src, i+1)
	}
	if i >= len(src) {
		d.malformed(i)
		return 0, int32(i)
	}
	if src[i]|0x20 == '}' {
		return 0, int32(i + 1)
	}
	key, end := i, i
	if object {
		esc := false
		end = -1
		if src[i] == '"' {
			end, esc = stringEnd(src, i+1)
		}
		if end < 0 {
			d.malformed(i)
			return 0, int32(i)
		}
		if esc {
			flags |= escaped
		}
		if i = skipSpace(src, end); i < len(src) && src[i] == ':' {
			i = skipSpace(src, i+1)
		} else {
			i = len(src)
		}
		if i == len(src) {
			d.malformed(end)
			return 0, int32(end)
		}
	}
	nd, c := d.add(n, flags)
	nd.key, nd.keyEnd, nd.start = int32(key), int32(end), int32(i)
	return c, int32(i)
}

// add appends a node without key and value to the children of parent, and returns it and its index.
// It sets each field for itself: Go's compiler for WebAssembly copies structures of this size by
// memory.copy, which costs as much as reading a member.
func (d *document) add(parent int32, flags uint8) (*node, int32) {
	c := int32(len(d.nodes))
	if int(c) == cap(d.nodes) {
		d.nodes = append(d.nodes, node{})
	}
	d.nodes = d.nodes[:c+1]
	nd := &d.nodes[c]
	nd.key, nd.keyEnd, nd.start, nd.end, nd.parent = 0, 0, 0, 0, parent
	nd.next, nd.first, nd.last, nd.found, nd.flags = 0, 0, 0, 0, flags
	p := &d.nodes[parent]
	if p.last == 0 {
		p.first = c
	} else {
		d.nodes[p.last].next = c
	}
	p.last = c
	return nd, c
}

// close reads to the ends of the open values within n, so that n is the innermost open value.
func (d *document) close(n int32) {
	for d.open != n && d.open >= 0 {
		for inner := d.open; d.open == inner; {
			d.scan(inner)
		}
	}
}

// skip reads past n, the value at which the search stopped.
func (d *document) skip(n int32) {
	end := valueEnd(d.text, int(d.nodes[n].start))
	if end < 0 {
		d.malformed(int(d.nodes[n].start))
		return
	}
	d.nodes[n].end, d.pos = int32(end), int32(end)
}

// finish reads on until n's end is known.
func (d *document) finish(n int32) {
	for d.nodes[n].end == 0 {
		if d.nodes[n].flags&entered != 0 {
			d.scan(n)
		} else {
			d.skip(n)
		}
	}
}

// malformed records that the text is not JSON and ends all reading: every open value ends at the
// end of the text.
func (d *document) malformed(at int) {
	if d.err == nil {
		d.err = Errorf("the object is not valid JSON at byte %d", at)
	}
	end := int32(len(d.text))
	for i := range d.nodes {
		if d.nodes[i].end == 0 {
			d.nodes[i].end = max(end, 1)
		}
	}
	d.open, d.pos = -1, end
}
