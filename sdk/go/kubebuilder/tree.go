package kubebuilder

import (
	"unsafe"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// tree lists the values of a JSON text. A document of the SDK reads as little as it can and takes
// edits, which costs thousands of units of fuel for each member. A walk through a whole result needs
// neither.
type tree struct {
	text  []byte
	nodes []treeNode // in the order of the text: nodes[0] is nothing, and nodes[root] all of it
}

// treeNode is a value.
type treeNode struct {
	at                  int32 // where the member or element begins
	key, keyEnd         int32 // a member's name
	start, end          int32 // the value
	parent, first, next int32
}

const root = 1

// newTree returns the tree of a text that a codec has decoded or encoded. It is one function, without
// calls for each value: the meter charges a call for the longest path through the function.
func newTree(text []byte) *tree {
	t := &tree{text: text[:len(text):len(text)], nodes: make([]treeNode, 1, 16+len(text)/12)}
	var next treeNode // the value to come; its parent is the object or list that is open
	var last int32    // the value before it in parent
	object := false   // what parent is
	for i := 0; i < len(text); {
		c, end := text[i], i+1
		if c <= ',' && c != '"' || c == ':' { // space, a comma, a colon
			i++
			continue
		}
		switch c {
		case '}', ']':
			i++
			last = next.parent
			n := &t.nodes[last]
			n.end, next.parent = int32(i), n.parent
			object = next.parent > 0 && text[t.nodes[next.parent].start] == '{'
			continue
		case '"':
			escaped := false
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					escaped = true
					end++
				}
				end++
			}
			end++
			if object && next.keyEnd == 0 {
				next.at, next.key, next.keyEnd = int32(i), int32(i+1), int32(end-1)
				if escaped {
					next.key, next.keyEnd = t.unescaped(text[i:end])
				}
				i = end + 1 // after the colon, or a space before it
				continue
			}
		case '{', '[':
		default: // a number, true, false or null
			for end < len(text) && text[end] > ' ' && text[end] != ',' && text[end] != '}' && text[end] != ']' {
				end++
			}
		}
		n := int32(len(t.nodes))
		next.start, next.end = int32(i), int32(end)
		if !object {
			next.at = next.start
		}
		t.nodes = append(t.nodes, next)
		if last > 0 {
			t.nodes[last].next = n
		} else {
			t.nodes[next.parent].first = n
		}
		last, next.keyEnd = n, 0
		if c == '{' || c == '[' {
			next.parent, last, object = n, 0, c == '{'
		}
		i = end
	}
	return t
}

// unescaped appends a name that has escapes to the tree's text, and returns where it is.
func (t *tree) unescaped(quoted []byte) (start, end int32) {
	name, _, _ := crosswalk.Parse(quoted).String()
	start = int32(len(t.text))
	t.text = append(t.text, name...)
	return start, int32(len(t.text))
}

// raw returns the text of a value; none of nothing.
func (t *tree) raw(n int32) []byte {
	if n == 0 {
		return nil
	}
	return t.text[t.nodes[n].start:t.nodes[n].end]
}

// kind returns the first byte of a value; 0 of nothing.
func (t *tree) kind(n int32) byte {
	if n == 0 {
		return 0
	}
	return t.text[t.nodes[n].start]
}

// some reports whether there is a value, and it is not null.
func (t *tree) some(n int32) bool { return n > 0 && t.text[t.nodes[n].start] != 'n' }

// contains reports whether a value is an object or a list.
func (t *tree) contains(n int32) bool { return t.kind(n)|0x20 == '{' }

// name returns the name of a member. It is a part of the tree's text.
func (t *tree) name(n int32) string {
	key := t.text[t.nodes[n].key:t.nodes[n].keyEnd]
	return unsafe.String(unsafe.SliceData(key), len(key))
}

// first returns the first value in an object or a list; 0 of another value, or nothing.
func (t *tree) first(n int32) int32 { return t.nodes[n].first }

// next returns the value after another one.
func (t *tree) next(n int32) int32 { return t.nodes[n].next }

// count returns the number of values in an object or a list.
func (t *tree) count(n int32) (count int) {
	for m := t.first(n); m > 0; m = t.next(m) {
		count++
	}
	return count
}

// get returns a member.
func (t *tree) get(n int32, name string) int32 {
	if t.kind(n) != '{' {
		return 0
	}
	for m := t.first(n); m > 0; m = t.next(m) {
		if t.name(m) == name {
			return m
		}
	}
	return 0
}

// members looks up members of a value, which may be nothing.
type members struct {
	tree     *tree
	of, last int32
	searched int
	all      map[string]int32 // nil: not yet
}

// manyMembers is the number of searches in an object after which a table of its members costs less.
const manyMembers = 24

func (t *tree) members(of int32) members {
	if t.kind(of) != '{' {
		of = 0
	}
	return members{tree: t, of: of}
}

// get returns a member; 0 if there is none. The one after the last is found at once: two results of
// one type have their members in the same order.
func (x *members) get(name string) int32 {
	if x.of == 0 {
		return 0
	}
	next := x.tree.first(x.of)
	if x.last > 0 {
		next = x.tree.next(x.last)
	}
	if next == 0 || x.tree.name(next) != name {
		if next = x.search(name); next == 0 {
			return 0
		}
	}
	x.last = next
	return next
}

func (x *members) search(name string) int32 {
	if x.searched++; x.searched <= manyMembers {
		return x.tree.get(x.of, name)
	}
	if x.all == nil {
		x.all = map[string]int32{}
		for m := x.tree.first(x.of); m > 0; m = x.tree.next(m) {
			if _, ok := x.all[x.tree.name(m)]; !ok {
				x.all[x.tree.name(m)] = m
			}
		}
	}
	return x.all[name]
}

// envelope reports whether a member of an object is not the kind's own.
func envelope(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }
