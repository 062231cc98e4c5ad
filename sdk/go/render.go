package crosswalk

// render copies the text of a value. It writes member by member only objects and arrays with edited
// members, and even there copies unchanged neighbours in one piece, with the text between them.
// Nothing behind the last read position can be edited, so render copies the rest of the text
// unchanged.

// render appends value n to dst. rest is true if render also copied the rest of the text, to its
// end: then all enclosing values are written too.
func (d *document) render(dst []byte, n int32) (out []byte, rest bool) {
	nd := &d.nodes[n]
	if nd.flags&edited == 0 {
		if nd.end == 0 {
			return append(dst, d.text[nd.start:]...), true
		}
		return append(dst, d.source(n)[nd.start:nd.end]...), false
	}
	object := d.kind(n) == '{'
	closing := byte(']')
	if object {
		dst, closing = append(dst, '{'), '}'
	} else {
		dst = append(dst, '[')
	}
	empty := true
	for c := nd.first; c != 0; c = d.nodes[c].next {
		if d.nodes[c].flags&gone != 0 {
			continue
		}
		if !empty {
			dst = append(dst, ',')
		}
		empty = false
		if from := &d.nodes[c]; from.untouched() {
			for to := from; to.end != 0 && to.next != 0 && d.nodes[to.next].untouched(); to = &d.nodes[c] {
				c = to.next
			}
			if end := d.nodes[c].end; end != 0 {
				dst = append(dst, d.source(c)[from.key:end]...)
				continue
			}
			return append(dst, d.text[from.key:]...), true
		}
		if object {
			dst = append(dst, d.keyText(c)...)
			dst = append(dst, ':')
		}
		if dst, rest = d.render(dst, c); rest {
			return dst, true
		}
	}
	if nd.end != 0 {
		return append(dst, closing), false
	}
	pos := int(d.pos)
	if empty {
		if pos = skipSpace(d.text, pos); pos < len(d.text) && d.text[pos] == ',' {
			pos = skipSpace(d.text, pos+1)
		}
	}
	return append(dst, d.text[pos:]...), true
}

// untouched reports whether a member has the same text and the same position in the output as in
// the input.
func (n *node) untouched() bool {
	return n.flags&(edited|gone|loose) == 0
}

// keyText returns the key of n with its quotes.
func (d *document) keyText(n int32) []byte {
	nd := &d.nodes[n]
	if nd.flags&newKey != 0 {
		return d.scratch[nd.key:nd.keyEnd]
	}
	return d.text[nd.key:nd.keyEnd]
}

// keyIs says whether the key of n is the given one.
func (d *document) keyIs(n int32, key string) bool {
	quoted := d.keyText(n)
	if len(quoted) < 2 {
		return false // an element of an array
	}
	inner := quoted[1 : len(quoted)-1]
	if d.nodes[n].flags&escaped == 0 {
		return string(inner) == key
	}
	return string(unquote(nil, inner)) == key
}

// keyOf returns the key of n.
func (d *document) keyOf(n int32) string {
	quoted := d.keyText(n)
	if len(quoted) < 2 {
		return ""
	}
	inner := quoted[1 : len(quoted)-1]
	if d.nodes[n].flags&escaped == 0 {
		return string(inner)
	}
	return string(unquote(nil, inner))
}

// raw returns the JSON text of n. It aliases the document unless n was edited.
func (d *document) raw(n int32) []byte {
	d.finish(n)
	nd := &d.nodes[n]
	if nd.flags&edited == 0 {
		src := d.source(n)
		end := min(int(nd.end), len(src)) // beyond it only if the text is malformed
		return src[min(int(nd.start), end):end:end]
	}
	out, _ := d.render(nil, n)
	return out
}
