package crosswalk

import "strconv"

// SetString puts a string at path, in place of what is there or as the last member of its object. Objects on the way that
// are absent or null are made.
func (v Value) SetString(s string, path ...string) {
	d := v.d
	start := len(d.scratch)
	d.scratch = Quote(d.scratch, s)
	d.put(v.n, path, start)
}

// SetInt puts an integer at path, as [Value.SetString] does.
func (v Value) SetInt(i int64, path ...string) {
	d := v.d
	start := len(d.scratch)
	d.scratch = strconv.AppendInt(d.scratch, i, 10)
	d.put(v.n, path, start)
}

// SetBool puts a boolean at path, as [Value.SetString] does.
func (v Value) SetBool(b bool, path ...string) {
	d := v.d
	start := len(d.scratch)
	d.scratch = strconv.AppendBool(d.scratch, b)
	d.put(v.n, path, start)
}

// SetRaw puts JSON text at path, as [Value.SetString] does. Text that is not JSON refuses the object.
func (v Value) SetRaw(raw []byte, path ...string) {
	start := v.d.addRaw(raw, v.n, path)
	if start >= 0 {
		v.d.put(v.n, path, start)
	}
}

// SetValue puts a copy of value, which may come from any object, at path, as [Value.SetString] does. If value is absent,
// nothing is done.
func (v Value) SetValue(value Value, path ...string) {
	raw, ok := value.Raw()
	if !ok {
		return
	}
	start := len(v.d.scratch)
	v.d.scratch = append(v.d.scratch, raw...)
	v.d.put(v.n, path, start)
}

// AppendString adds a string to the array at path; if it is absent or null, it is made.
func (v Value) AppendString(s string, path ...string) {
	start := len(v.d.scratch)
	v.d.scratch = Quote(v.d.scratch, s)
	v.d.appendElement(v.n, path, start)
}

// AppendRaw adds JSON text to the array at path, as [Value.AppendString] does. Text that is not JSON refuses the object.
func (v Value) AppendRaw(raw []byte, path ...string) {
	if start := v.d.addRaw(raw, v.n, path); start >= 0 {
		v.d.appendElement(v.n, path, start)
	}
}

// Delete removes the value at path and says whether it was there (null counts as there).
func (v Value) Delete(path ...string) bool {
	n := v.target(path)
	if n < 0 {
		return false
	}
	if n == 0 {
		v.d.fail(Errorf("the object as a whole cannot be deleted"))
		return false
	}
	v.d.detach(n)
	return true
}

// Rename gives the member at path another key; its value and its place stay as they are. It says whether the member is
// there. A key that is taken already refuses the object, as something would be lost.
func (v Value) Rename(key string, path ...string) bool {
	d := v.d
	n := v.target(path)
	if n < 0 {
		return false
	}
	if n == 0 || d.kind(d.nodes[n].parent) != '{' {
		d.fail(Errorf("%s cannot be renamed: it is no member of an object", d.location(n)))
		return false
	}
	parent := d.nodes[n].parent
	switch taken := d.find(parent, key); taken {
	case n:
		return true
	case 0:
	default:
		d.fail(Errorf("%s cannot be renamed: %s is there already", d.location(n), d.location(taken)))
		return false
	}
	d.setKey(n, key)
	d.changed(n)
	return true
}

// Move takes the member at path from away and puts it, text and edits unchanged, at path to, as the last member of its
// object. Objects on the way are made as needed. It says whether there was something to move. If something other than null
// is at to already, the object is refused.
func (v Value) Move(from, to Path) bool {
	d := v.d
	n := v.target(from)
	if n < 0 {
		return false
	}
	if n == 0 || len(to) == 0 {
		d.fail(Errorf("%s cannot be moved to %s", d.location(v.n, from...), d.location(v.n, to...)))
		return false
	}
	d.detach(n)
	last := len(to) - 1
	parent := d.makeObjects(v.n, to[:last], to)
	if parent < 0 {
		return false
	}
	if taken := d.find(parent, to[last]); taken != 0 {
		if d.kind(taken) != 'n' {
			d.fail(Errorf("%s cannot be moved: %s is there already", d.location(v.n, from...), d.location(taken)))
			return false
		}
		d.detach(taken)
		d.finish(parent) // a member can be added only where all are listed
	}
	nd := d.nodes[n]
	nd.parent, nd.next = parent, 0
	nd.flags = nd.flags&^gone | loose
	m := d.add(nd)
	d.setKey(m, to[last])
	for c := nd.first; c != 0; c = d.nodes[c].next {
		d.nodes[c].parent = m
	}
	d.touch(parent)
	return true
}

// target returns the value at path, -1 if it is absent; what is wrong on the way is remembered.
func (v Value) target(path []string) int32 {
	n, err := v.lookup(path)
	if err != nil {
		v.d.fail(err)
	}
	return n
}
