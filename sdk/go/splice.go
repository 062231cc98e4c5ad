package crosswalk

// Edits never change the text. They append new keys and values to the scratch buffer and mark the
// changed nodes and all enclosing nodes; render then writes the result.

// put sets the value at path from n to scratch[start:].
func (d *document) put(n int32, path []string, start int) {
	end := len(d.scratch)
	if len(path) == 0 {
		if n < 0 {
			d.fail(Errorf("a value that is absent cannot be set"))
			return
		}
		d.replace(n, start, end)
		return
	}
	last := len(path) - 1
	parent := d.makeObjects(n, path[:last], path)
	if parent < 0 {
		return
	}
	if c := d.find(parent, path[last]); c != 0 {
		d.replace(c, start, end)
		return
	}
	d.insert(parent, path[last], start, end)
}

// makeObjects returns the object at path from n and creates it if it is absent or null. It returns
// -1 if a value on the path is not an object. whole is the path of the value to set, for the
// message.
func (d *document) makeObjects(n int32, path, whole []string) int32 {
	if n < 0 {
		d.fail(Errorf("%s cannot be set in a value that is absent", d.location(-1, whole...)))
		return -1
	}
	first := n
	for i := 0; ; i++ {
		switch d.kind(n) {
		case '{':
		case 'n':
			start := d.addEmpty()
			d.replace(n, start, start+2)
		default:
			d.fail(Errorf("%s cannot be set: %s is %s, not an object", d.location(first, whole...), d.location(n), Value{d, n}.Type()))
			return -1
		}
		if i == len(path) {
			return n
		}
		c := d.find(n, path[i])
		if c == 0 {
			start := d.addEmpty()
			c = d.insert(n, path[i], start, start+2)
		}
		n = c
	}
}

// addEmpty adds an empty object to the scratch buffer and returns where it starts.
func (d *document) addEmpty() int {
	d.scratch = append(d.scratch, '{', '}')
	return len(d.scratch) - 2
}

// insert adds a member with the value scratch[start:end] to the object n, whose members must all be
// listed.
func (d *document) insert(n int32, key string, start, end int) int32 {
	nd, c := d.add(n, newKey|newValue|loose)
	nd.start, nd.end = int32(start), int32(end)
	d.setKey(c, key)
	d.touch(n)
	return c
}

// appendElement appends scratch[start:] to the array at path from n.
func (d *document) appendElement(n int32, path []string, start int) {
	end := len(d.scratch)
	array, err := Value{d, n}.lookup(path)
	switch {
	case err != nil:
		d.fail(err)
		return
	case array < 0 || d.kind(array) == 'n':
		from := end
		d.scratch = append(d.scratch, '[')
		d.scratch = append(d.scratch, d.scratch[start:end]...)
		d.scratch = append(d.scratch, ']')
		d.put(n, path, from)
		return
	case d.kind(array) != '[':
		d.fail(d.wrong(array, "an array"))
		return
	}
	d.enter(array)
	d.finish(array)
	nd, _ := d.add(array, newKey|newValue|loose)
	nd.start, nd.end = int32(start), int32(end)
	d.touch(array)
}

// addRaw copies raw to the scratch buffer and returns its position. If raw is not JSON, addRaw
// records the error and returns -1.
func (d *document) addRaw(raw []byte, n int32, path []string) int {
	from := skipBlank(raw, 0)
	end := validEnd(raw, from, 0)
	if end < 0 || skipBlank(raw, end) != len(raw) {
		d.fail(Errorf("%s cannot be set: the new value is not valid JSON", d.location(n, path...)))
		return -1
	}
	start := len(d.scratch)
	d.scratch = append(d.scratch, raw[from:end]...)
	return start
}

// replace sets the value of n to scratch[start:end].
func (d *document) replace(n int32, start, end int) {
	d.finish(n)
	d.disown(n)
	nd := &d.nodes[n]
	nd.start, nd.end, nd.first, nd.last, nd.found = int32(start), int32(end), 0, 0, 0
	nd.flags = nd.flags&^(entered|edited) | newValue | loose
	d.changed(n)
}

// disown marks the children of n as gone, so that edits of them do not affect n's new value.
func (d *document) disown(n int32) {
	for c := d.nodes[n].first; c != 0; c = d.nodes[c].next {
		d.nodes[c].flags |= gone
	}
}

// setKey changes the key of n.
func (d *document) setKey(n int32, key string) {
	start := len(d.scratch)
	d.scratch = Quote(d.scratch, key)
	nd := &d.nodes[n]
	nd.key, nd.keyEnd = int32(start), int32(len(d.scratch))
	nd.flags = nd.flags&^escaped | newKey | loose
	if len(d.scratch)-start != len(key)+2 {
		nd.flags |= escaped
	}
}

// detach removes n from its parent.
func (d *document) detach(n int32) {
	d.finish(n)
	d.changed(n)
	d.nodes[n].flags |= gone
}

// changed marks all nodes that enclose n as edited, unless n was detached from the object.
func (d *document) changed(n int32) {
	if n != 0 && d.nodes[n].flags&gone == 0 {
		d.touch(d.nodes[n].parent)
	}
}

// touch marks n and all enclosing nodes as edited.
func (d *document) touch(n int32) {
	for {
		nd := &d.nodes[n]
		if nd.flags&edited != 0 {
			return
		}
		nd.flags |= edited
		if n == 0 || nd.flags&gone != 0 {
			return
		}
		n = nd.parent
	}
}
