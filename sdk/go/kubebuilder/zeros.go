package kubebuilder

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// zero is a 0, false or "" in a fragment. A probe puts another value in its place.
type zero struct {
	path       *step
	start, end int // of its text in the fragment's
	boolean    bool
	kept       bool // the result has a member at the same place
	mark       int  // the number that a probe has instead; also the text, of a string
	value      string
}

// firstMark is the least number in a probe. It is greater than 10 because smaller numbers occur by
// themselves, such as in "v1", and less than 128 less the usual number of zeros, because a field
// may have eight bits.
const firstMark = 11

// step is the last one of a path: to a member of an object, or to an element of a list. Zeros share
// the steps before.
type step struct {
	before  *step
	name    string
	element int // counted from 1; 0: a member
}

// finder finds the zeros of a fragment.
type finder struct {
	text    []byte // the fragment
	unasked []byte // the texts that may be withheld
	all     []zero
}

// zeros returns the zeros of a fragment, each with a value of its own: first numbers, then strings,
// then booleans. A string is a number, too, because conversions parse strings.
func (s *search) zeros() []zero {
	f := finder{text: s.text, unasked: texts(nil, s.places, map[string]bool{})}
	f.object(s.decoded, s.fragment.Value, s.result.Value, nil)
	rank := map[byte]int{'0': 0, '"': 1, 'f': 2}
	slices.SortStableFunc(f.all, func(a, b zero) int { return rank[s.text[a.start]] - rank[s.text[b.start]] })
	for i := range f.all {
		z := &f.all[i]
		z.mark = firstMark + i
		switch s.text[z.start] {
		case '0':
			z.value = strconv.Itoa(z.mark)
		case '"':
			z.value = `"` + strconv.Itoa(z.mark) + `"`
		default:
			z.value, z.boolean = "true", true
		}
	}
	return f.all
}

// object adds the zeros in v, an object at path. Zeros that are elements of lists are not members:
// the types write none of them unasked. result is the value at the same place in the result.
func (f *finder) object(shape codec.Shape, v, result crosswalk.Value, path *step) {
	there := indexOf(result)
	for name, member := range v.Members() {
		if path == nil && name == "metadata" {
			continue
		}
		here := step{before: path, name: name}
		switch member.Type() {
		case crosswalk.TypeObject:
			if inner := shape.Member(name); !f.carried(inner, member) {
				f.object(inner, member, there.get(name), &here)
			}
			continue
		case crosswalk.TypeArray:
			f.list(shape.Member(name).Element(), member, there.get(name), here)
			continue
		}
		switch raw, _ := member.Raw(); string(raw) {
		case "0", "false", `""`:
			// The text of a value is a part of the fragment's.
			start := int(uintptr(unsafe.Pointer(unsafe.SliceData(raw))) - uintptr(unsafe.Pointer(unsafe.SliceData(f.text))))
			kept := there.get(name).Type()
			f.all = append(f.all, zero{path: &here, start: start, end: start + len(raw), kept: kept != crosswalk.TypeInvalid && kept != crosswalk.TypeNull})
		}
	}
}

func (f *finder) list(shape codec.Shape, list, result crosswalk.Value, path step) {
	there := elements(result)
	for i, e := range list.Elements() {
		if e.Type() == crosswalk.TypeObject && !f.carried(shape, e) {
			here := step{before: &path, element: i + 1}
			f.object(shape, e, at(there, i), &here)
		}
	}
}

// carried reports whether an opaque value keeps its text wherever it goes, and is not withheld: its
// zeros need no probe.
func (f *finder) carried(shape codec.Shape, v crosswalk.Value) bool {
	if !shape.Opaque() {
		return false
	}
	raw, _ := v.Raw()
	return !bytes.Contains(f.unasked, raw)
}

// replaced returns the fragment with the other values of some zeros.
func (s *search) replaced(group []zero) []byte {
	group = slices.Clone(group)
	slices.SortFunc(group, func(a, b zero) int { return a.start - b.start })
	text, from := make([]byte, 0, len(s.text)+4*len(group)), 0
	for _, z := range group {
		text = append(append(text, s.text[from:z.start]...), z.value...)
		from = z.end
	}
	return append(text, s.text[from:]...)
}

// name returns the path in the form of messages.
func (z zero) name() string {
	var parts []string
	for s := z.path; s != nil; s = s.before {
		if s.element > 0 {
			parts = append(parts, fmt.Sprintf("[%d]", s.element-1))
		} else {
			parts = append(parts, "."+s.name)
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

// marks returns the numbers in a text.
func marks(text []byte) (all []int) {
	for i := 0; i < len(text); {
		n, digits := 0, 0
		for ; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
			if digits++; digits < 9 {
				n = 10*n + int(text[i]-'0')
			}
		}
		if digits == 0 {
			i++
		} else if digits < 9 {
			all = append(all, n)
		}
	}
	return all
}
