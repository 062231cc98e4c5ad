package kubebuilder

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// zero is a 0, false or "" in a fragment. A probe puts another value in its place.
type zero struct {
	node       int32 // of the fragment
	start, end int   // of its text in the fragment's
	boolean    bool
	kept       bool // the result has a member at the same place
	mark       int  // the number that a probe has instead; also the text, of a string
}

// firstMark is the least number in a probe. It is greater than 10 because smaller numbers occur by
// themselves, such as in "v1", and less than 128 less the usual number of zeros, because a field
// may have eight bits.
const firstMark = 11

// finder finds the zeros of a fragment.
type finder struct {
	search       *search
	said, result *tree
	unasked      []byte // the texts that may be withheld; nil: not listed yet
	all          []zero
}

// zeros finds the zeros of a fragment, each with a value of its own: first numbers, then strings,
// then booleans. A string is a number, too, because conversions parse strings.
func (s *search) zeros() {
	f := finder{search: s, said: s.grower.said, result: s.grower.result}
	f.object(s.decoded, root, root)
	s.all, s.inText, s.found = make([]zero, 0, len(f.all)), make([]int32, len(f.all)), make([]bool, firstMark+len(f.all))
	for _, kind := range []byte{'0', '"', 'f'} {
		for i := range f.all {
			if z := &f.all[i]; s.text[z.start] == kind {
				z.mark, z.boolean = firstMark+len(s.all), kind == 'f'
				s.inText[i] = int32(len(s.all))
				s.all = append(s.all, *z)
			}
		}
	}
}

// appendValue appends the other value.
func (z *zero) appendValue(to []byte, kind byte) []byte {
	switch kind {
	case '0':
		return strconv.AppendInt(to, int64(z.mark), 10)
	case '"':
		return append(strconv.AppendInt(append(to, '"'), int64(z.mark), 10), '"')
	}
	return append(to, "true"...)
}

// object adds the zeros in an object. Zeros that are elements of lists are not members: the types
// write none of them unasked. result is the value at the same place in the result.
func (f *finder) object(shape codec.Shape, object, result int32) {
	there := f.result.members(result)
	for m := f.said.first(object); m > 0; m = f.said.next(m) {
		switch f.said.kind(m) {
		case '{':
			name := f.said.name(m)
			if object == root && name == "metadata" {
				continue
			}
			if inner := shape.Member(name); !f.carried(inner, m) {
				f.object(inner, m, there.get(name))
			}
		case '[':
			name := f.said.name(m)
			f.list(shape.Member(name).Element(), m, there.get(name))
		case '0', 'f', '"':
			switch string(f.said.raw(m)) {
			case "0", "false", `""`:
				nd := &f.said.nodes[m]
				f.all = append(f.all, zero{node: m, start: int(nd.start), end: int(nd.end), kept: f.result.some(there.get(f.said.name(m)))})
			}
		}
	}
}

func (f *finder) list(shape codec.Shape, list, result int32) {
	there := int32(0)
	if f.result.kind(result) == '[' {
		there = f.result.first(result)
	}
	for e := f.said.first(list); e > 0; e = f.said.next(e) {
		if f.said.kind(e) == '{' && !f.carried(shape, e) {
			f.object(shape, e, there)
		}
		there = f.result.next(there)
	}
}

// carried reports whether an opaque value keeps its text wherever it goes, and is not withheld: its
// zeros need no probe.
func (f *finder) carried(shape codec.Shape, n int32) bool {
	if !shape.Opaque() {
		return false
	}
	if f.unasked == nil {
		f.unasked = f.search.grower.texts([]byte{}, f.search.places, map[string]bool{})
	}
	return !bytes.Contains(f.unasked, f.said.raw(n))
}

// replaced returns the fragment with the other values of some zeros.
func (s *search) replaced(group []zero) []byte {
	chosen := make([]bool, len(s.found)) // by mark
	for i := range group {
		chosen[group[i].mark] = true
	}
	text, from := make([]byte, 0, len(s.text)+8*len(group)), 0
	for _, i := range s.inText {
		z := &s.all[i]
		if !chosen[z.mark] {
			continue
		}
		text = z.appendValue(append(text, s.text[from:z.start]...), s.text[z.start])
		from = z.end
	}
	return append(text, s.text[from:]...)
}

// path returns the path to a value in the form of messages.
func (t *tree) path(n int32) string {
	parent := t.nodes[n].parent
	switch {
	case parent == 0:
		return ""
	case t.kind(parent) == '{':
		return t.path(parent) + "." + t.name(n)
	}
	element := 0
	for m := t.first(parent); m != n; m = t.next(m) {
		element++
	}
	return t.path(parent) + fmt.Sprintf("[%d]", element)
}

// number returns the next number in a text, of at most eight digits, and the position after it; -1 if
// there is none.
func number(text []byte, from int) (n, after int) {
	for i := from; i < len(text); i++ {
		digits := 0
		for n = 0; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
			if digits++; digits < 9 {
				n = 10*n + int(text[i]-'0')
			}
		}
		if 0 < digits && digits < 9 {
			return n, i
		}
	}
	return -1, len(text)
}
