package crosswalk

import "strconv"

// SetString sets the value at path to a string. It replaces the existing value in place, or adds a
// new last member; absent or null objects on the path are created. An empty path, such as nil,
// means v itself.
func (v Value) SetString(path Path, s string) {
	d := v.d
	start := len(d.scratch)
	d.scratch = Quote(d.scratch, s)
	d.put(v.n, path, start)
}

// SetInt sets the value at path to an integer, as [Value.SetString] does.
func (v Value) SetInt(path Path, i int64) {
	d := v.d
	start := len(d.scratch)
	d.scratch = strconv.AppendInt(d.scratch, i, 10)
	d.put(v.n, path, start)
}

// SetBool sets the value at path to a boolean, as [Value.SetString] does.
func (v Value) SetBool(path Path, b bool) {
	d := v.d
	start := len(d.scratch)
	d.scratch = strconv.AppendBool(d.scratch, b)
	d.put(v.n, path, start)
}

// SetRaw sets the value at path to JSON text, as [Value.SetString] does. Text that is not JSON
// refuses the object.
func (v Value) SetRaw(path Path, raw []byte) {
	start := v.d.addRaw(raw, v.n, path)
	if start >= 0 {
		v.d.put(v.n, path, start)
	}
}

// SetValue sets the value at path to a copy of value, as [Value.SetString] does. The value may
// belong to any object. SetValue does nothing if value is absent.
func (v Value) SetValue(path Path, value Value) {
	raw, ok := value.Raw()
	if !ok {
		return
	}
	start := len(v.d.scratch)
	v.d.scratch = append(v.d.scratch, raw...)
	v.d.put(v.n, path, start)
}

// AppendString appends a string to the array at path. It creates the array if that is absent or
// null.
func (v Value) AppendString(path Path, s string) {
	start := len(v.d.scratch)
	v.d.scratch = Quote(v.d.scratch, s)
	v.d.appendElement(v.n, path, start)
}

// AppendRaw appends JSON text to the array at path, as [Value.AppendString] does. Text that is not
// JSON refuses the object.
func (v Value) AppendRaw(path Path, raw []byte) {
	if start := v.d.addRaw(raw, v.n, path); start >= 0 {
		v.d.appendElement(v.n, path, start)
	}
}

// Remove removes the value at path and reports whether it was present; null counts as present.
func (v Value) Remove(path ...string) bool {
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

// RemoveIfEmpty removes the object at path if it has no members, and reports whether it did. Call
// it after a Move out of the object: an object that only the other version has would stay, empty. A
// value of another type refuses the object.
func (v Value) RemoveIfEmpty(path ...string) bool {
	if _, ok := v.Get(path...); !ok {
		return false
	}
	for range v.Members(path...) {
		return false
	}
	return v.d.err == nil && v.Remove(path...)
}

// Rename changes the key of the member at path from; the member keeps its value and its position.
// It reports whether the member is present. A key that is already taken refuses the object, because
// the other member would be lost.
func (v Value) Rename(from Path, key string) bool {
	d := v.d
	n := v.target(from)
	if n < 0 {
		return false
	}
	if n == 0 || d.kind(d.nodes[n].parent) != '{' {
		d.fail(Errorf("%s cannot be renamed: it is not a member of an object", d.location(n)))
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

// Move moves the member at path from, with its text and edits, to path to, where it becomes the
// last member of its object. Absent objects on the path are created. Move reports whether from was
// present. A value other than null at path to refuses the object.
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
	moved, m := d.add(parent, d.nodes[n].flags&^gone|loose)
	nd := &d.nodes[n]
	moved.start, moved.end, moved.first, moved.last, moved.found = nd.start, nd.end, nd.first, nd.last, nd.found
	d.setKey(m, to[last])
	for c := nd.first; c != 0; c = d.nodes[c].next {
		d.nodes[c].parent = m
	}
	d.touch(parent)
	return true
}

// target returns the value at path, or -1 if it is absent. It records the error if a value on the
// path has the wrong type.
func (v Value) target(path []string) int32 {
	n, err := v.lookup(path)
	if err != nil {
		v.d.fail(err)
	}
	return n
}
