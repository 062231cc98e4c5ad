package host

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// maxLeaves is the number of annotations that the leaves of an object's stash may take, and maxName
// the length of an annotation's name by the API machinery's rules. A kept object is taken apart to
// leafDepth, and while its pointer has at most longPointer bytes: each leaf costs its pointer.
const (
	maxLeaves   = 256
	maxName     = 63
	leafDepth   = 16
	longPointer = 1000
)

// stashForm changes annotations between the form of modules, where one annotation is the stash, and
// the form of API servers, where each kept leaf has its own (docs/spec/leaves.md). Server-side apply
// compares sets of fields, so it cannot withdraw a part of an annotation.
type stashForm struct {
	spread     bool // to the form of API servers
	scan, leaf rawjson.Scanner
	text       []byte            // of the stash
	version    string            // of the layer
	prefix     string            // of the leaves' annotations: "conversion.example.com/stash."
	leaves     map[string][]byte // JSON by annotation
	count      int               // of all leaves: more than in the map if two have one name
}

// changeStash returns annotations in the other form; false if they have no stash, or have that form. What
// would have too many keys or bytes keeps the form of modules, because a reader knows both forms.
func changeStash(group, annotations []byte, spread bool) ([]byte, bool) {
	if !bytes.Contains(annotations, []byte("/stash")) || !isStringMap(annotations) {
		return nil, false
	}
	key := "conversion." + string(group) + "/stash"
	f := stashForm{spread: spread, prefix: key + ".", leaves: map[string][]byte{}}
	size := 0
	eachString(annotations, func(k string, text, _ []byte) {
		if k == key {
			f.text = bytes.Clone(text)
		}
		if strings.HasPrefix(k, f.prefix) {
			f.leaves[k] = bytes.Clone(text)
		}
		size += len(k) + len(text)
	})
	if n := len(f.leaves); spread && n > 0 || !spread && n == 0 && !bytes.Contains(f.text, []byte(`"parts"`)) {
		return nil, false
	}
	f.scan.Reset(f.text, 0)
	changed := f.object(nil, func(dst []byte, version string) []byte {
		f.version = version
		return f.object(append(rawjson.Quote(dst, version), ':'), f.layer)
	})
	valid := f.scan.End()
	if !valid {
		changed = f.text
	}
	if spread {
		size += len(changed) - len(f.text)
		for name, value := range f.leaves {
			size += len(name) + len(value)
		}
		if !valid || f.count == 0 || f.count > min(len(f.leaves), maxLeaves) || size > maxAnnotations {
			return nil, false
		}
	}
	dst := []byte{'{'}
	eachString(annotations, func(k string, _, member []byte) {
		switch {
		case strings.HasPrefix(k, f.prefix):
			return
		case k == key:
			member = rawjson.Quote(append(rawjson.Quote(nil, k), ':'), string(changed))
			for _, name := range slices.Sorted(maps.Keys(f.leaves)) {
				if spread {
					member = rawjson.Quote(append(rawjson.Quote(append(member, ','), name), ':'), string(f.leaves[name]))
				}
			}
		}
		dst = append(comma(dst), member...)
	})
	return append(dst, '}'), true
}

// eachString calls do for each member of a map of strings, with its bytes. text is valid during the
// call only.
func eachString(object []byte, do func(key string, text, member []byte)) {
	var s rawjson.Scanner
	s.Reset(object, 0)
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		key := string(m.Key)
		_, text := s.String()
		do(key, text, object[m.Start:s.Offset()])
	}
}

// object appends the next value. member appends a member of an object; nothing leaves it out.
func (f *stashForm) object(dst []byte, member func(dst []byte, key string) []byte) []byte {
	if f.scan.Peek() != rawjson.Object {
		return append(dst, f.skip()...)
	}
	f.scan.Object()
	dst = append(dst, '{')
	for m, ok := f.scan.Member(); ok; m, ok = f.scan.Member() {
		before, key := len(dst), string(m.Key)
		dst = comma(dst)
		after := len(dst)
		if dst = member(dst, key); len(dst) == after {
			dst = dst[:before]
		}
	}
	return append(dst, '}')
}

// layer appends a member of a layer.
func (f *stashForm) layer(dst []byte, key string) []byte {
	dst = append(rawjson.Quote(dst, key), ':')
	if key != "kept" || f.scan.Peek() != rawjson.Array {
		return append(dst, f.skip()...)
	}
	f.scan.Array()
	dst = append(dst, '[')
	for f.scan.Element() {
		dst = f.object(comma(dst), f.part)
	}
	return append(dst, ']')
}

// part appends a member of a parcel: set, for API servers parts, which has 0 for a leaf, and a list of
// one for a value that stays here.
func (f *stashForm) part(dst []byte, key string) []byte {
	from, to := "parts", "set"
	if f.spread {
		from, to = to, from
	}
	if key != from || f.scan.Peek() != rawjson.Object {
		return append(append(rawjson.Quote(dst, key), ':'), f.skip()...)
	}
	return f.object(append(rawjson.Quote(dst, to), ':'), func(dst []byte, pointer string) []byte {
		depth := leafDepth
		if hasLeaves(pointer) {
			depth = 0
		}
		return f.member(dst, pointer, pointer, depth)
	})
}

// member appends a member with the next value, which is at the pointer, in the other form; nothing if
// its leaves are gone.
func (f *stashForm) member(dst []byte, key, pointer string, depth int) []byte {
	n := len(dst)
	dst = append(rawjson.Quote(dst, key), ':')
	from := len(dst)
	is := f.scan.Peek()
	if is == rawjson.Object && depth < leafDepth && len(pointer) <= longPointer {
		dst = f.object(dst, func(dst []byte, key string) []byte { return f.member(dst, key, pointer+token(key), depth+1) })
		switch empty := string(dst[from:]) == "{}"; {
		case empty && f.spread:
			return f.put(dst[:from], pointer, []byte("{}"))
		case empty:
			return dst[:n]
		}
		return dst
	}
	value := f.skip()
	switch {
	case f.spread && depth < leafDepth:
		return f.put(dst, pointer, value)
	case f.spread:
		return append(append(append(dst, '['), value...), ']')
	case is == rawjson.Array:
		value = value[1 : len(value)-1]
	default:
		name := f.prefix + nameOf("stash.", f.version, pointer)
		value = f.leaves[name]
		delete(f.leaves, name) // or a text that names it often would multiply it
	}
	if f.leaf.Reset(value, 0); f.leaf.Skip() == (rawjson.Span{}) || !f.leaf.End() {
		return dst[:n]
	}
	return append(dst, value...)
}

// put notes a leaf, and appends its place.
func (f *stashForm) put(dst []byte, pointer string, value []byte) []byte {
	if f.count++; f.count <= maxLeaves {
		f.leaves[f.prefix+nameOf("stash.", f.version, pointer)] = value
	}
	return append(dst, '0')
}

func (f *stashForm) skip() []byte { return f.scan.Skip().Of(f.text) }

// comma appends a comma unless dst is empty or ends with an opening bracket.
func comma(dst []byte) []byte {
	if n := len(dst); n == 0 || dst[n-1] == '{' || dst[n-1] == '[' {
		return dst
	}
	return append(dst, ',')
}

// hasLeaves reports whether the value at a pointer has annotations of its own. A value in a list has
// none: another element may have its place in the next object.
func hasLeaves(pointer string) bool {
	for i, key := range strings.Split(pointer, "/") {
		if i == 0 && key != "" || i > 0 && key != "" && strings.Trim(key, "0123456789") == "" {
			return false
		}
	}
	return pointer != ""
}

// token returns a key as a part of a JSON Pointer.
func token(key string) string {
	return "/" + strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// nameOf returns the end of the name of a leaf's annotation, after a prefix: its version and keys, with
// a hash of the pointer if they make no name, or two pointers could have it.
func nameOf(prefix, version, pointer string) string {
	name := version + strings.ReplaceAll(pointer, "/", ".")
	clean := strings.Map(func(r rune) rune {
		if r < 128 && (r == '-' || r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '-'
	}, name)
	most := maxName - len(prefix)
	if clean == name && len(name) <= most && !strings.Contains(pointer, ".") && strings.Trim(name[len(name)-1:], "-._") != "" {
		return name
	}
	sum := fnv.New32a()
	sum.Write([]byte(pointer))
	return fmt.Sprintf("%s-%08x", clean[:min(len(clean), most-9)], sum.Sum32())
}
