package crosswalk

import "strconv"

// JSON Pointers (RFC 6901) name values in the stash (docs/spec/stash.md).

// appendPointer appends the pointer to n. A list element keeps its original index even if elements
// before it were removed.
func (d *document) appendPointer(dst []byte, n int32) []byte {
	if n <= 0 {
		return dst
	}
	parent := d.nodes[n].parent
	dst = d.appendPointer(dst, parent)
	if d.kind(parent) == '{' {
		return appendToken(dst, d.keyOf(n))
	}
	index := 0
	for c := d.nodes[parent].first; c != n && c != 0; c = d.nodes[c].next {
		index++
	}
	return strconv.AppendInt(append(dst, '/'), int64(index), 10)
}

// appendToken appends one key to a pointer.
func appendToken(dst []byte, key string) []byte {
	dst = append(dst, '/')
	for i := range len(key) {
		switch c := key[i]; c {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// pointerOf returns the pointer with these keys.
func pointerOf(keys []string) string {
	var dst []byte
	for _, key := range keys {
		dst = appendToken(dst, key)
	}
	return string(dst)
}

// cutToken takes the first key off a pointer; ok is false if there is none.
func cutToken(pointer string) (key, rest string, ok bool) {
	if pointer == "" || pointer[0] != '/' {
		return "", "", false
	}
	end, escapes := 1, false
	for ; end < len(pointer) && pointer[end] != '/'; end++ {
		escapes = escapes || pointer[end] == '~'
	}
	key, rest = pointer[1:end], pointer[end:]
	if !escapes {
		return key, rest, true
	}
	plain := make([]byte, 0, len(key))
	for i := 0; i < len(key); i++ {
		c := key[i]
		if c == '~' && i+1 < len(key) && (key[i+1] == '0' || key[i+1] == '1') {
			i++
			c = "~/"[key[i]-'0']
		}
		plain = append(plain, c)
	}
	return string(plain), rest, true
}

// isIndex reports whether a key may be a list index.
func isIndex(key string) bool {
	if key == "" || len(key) > 9 || key[0] == '0' && len(key) > 1 {
		return false
	}
	for i := range len(key) {
		if key[i] < '0' || key[i] > '9' {
			return false
		}
	}
	return true
}

// step returns the member or element of n with that key; -1 if there is none.
func (d *document) step(n int32, key string) int32 {
	switch d.kind(n) {
	case '{':
		if c := d.find(n, key); c != 0 {
			return c
		}
	case '[':
		if !isIndex(key) {
			return -1
		}
		index, _ := strconv.Atoi(key)
		for c := d.after(n, 0); c != 0; c = d.after(n, c) {
			if index == 0 {
				return c
			}
			index--
		}
	}
	return -1
}

// at returns the value that a pointer leads to from the top, -1 if there is none.
func (d *document) at(pointer string) int32 {
	n := int32(0)
	for n >= 0 && pointer != "" {
		key, rest, ok := cutToken(pointer)
		if !ok {
			return -1
		}
		n, pointer = d.step(n, key), rest
	}
	return n
}

// setAt sets the value at the pointer, which has at least one key, to raw and reports whether it
// succeeded. It creates missing objects on the path, but no list elements.
func (d *document) setAt(pointer string, raw []byte) bool {
	n := int32(0)
	for {
		key, rest, ok := cutToken(pointer)
		if !ok {
			return false
		}
		c := d.step(n, key)
		switch {
		case c >= 0 && rest != "" && d.kind(c) != 'n':
			n, pointer = c, rest
			continue
		case c < 0 && d.kind(n) != '{' || !makeable(rest):
			return false
		}
		// Everything that is still missing becomes one new value: {"b":{"c":raw}} for the rest
		// "/b/c".
		value := make([]byte, 0, len(raw)+len(rest)+16)
		closing := 0
		for {
			var next string
			if next, rest, ok = cutToken(rest); !ok {
				break
			}
			value = append(Quote(append(value, '{'), next), ':')
			closing++
		}
		value = append(value, raw...)
		for range closing {
			value = append(value, '}')
		}
		start := len(d.scratch)
		d.scratch = append(d.scratch, value...)
		if c >= 0 {
			d.replace(c, start, len(d.scratch))
		} else {
			d.finish(n) // a member can be added only where all are listed
			d.insert(n, key, start, len(d.scratch))
		}
		return true
	}
}

// makeable reports whether setAt may create the values on a pointer's path: none of its keys may be
// a list index.
func makeable(pointer string) bool {
	for pointer != "" {
		key, rest, ok := cutToken(pointer)
		if !ok || isIndex(key) {
			return false
		}
		pointer = rest
	}
	return true
}
