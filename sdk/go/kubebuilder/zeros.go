package kubebuilder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// zero is a 0, false or "" in a fragment. A probe puts another value in its place.
type zero struct {
	path    []step
	boolean bool
	mark    int // the number that a probe has instead; also the text, of a string
	value   string
}

// firstMark is the least number in a probe. It is greater than 10 because smaller numbers occur by
// themselves, such as in "v1", and less than 128 less the usual number of zeros, because a field
// may have eight bits.
const firstMark = 11

// step goes to a member of an object, or to an element of a list.
type step struct {
	name    string
	element int // counted from 1; 0: a member
}

// zeros returns the zeros of a fragment, each with a value of its own: first numbers, then strings,
// then booleans. A string is a number, too, because conversions parse strings.
func zeros(fragment crosswalk.Value) []zero {
	all := appendZeros(nil, fragment, nil)
	rank := map[string]int{"0": 0, `""`: 1, "false": 2}
	slices.SortStableFunc(all, func(a, b zero) int { return rank[a.value] - rank[b.value] })
	for i := range all {
		z := &all[i]
		z.mark = firstMark + i
		switch z.value {
		case "0":
			z.value = strconv.Itoa(z.mark)
		case `""`:
			z.value = `"` + strconv.Itoa(z.mark) + `"`
		default:
			z.value, z.boolean = "true", true
		}
	}
	return all
}

// appendZeros appends the zeros in v, an object at path, with the texts that they have. Zeros that
// are elements of lists are not members: the types write none of them unasked.
func appendZeros(to []zero, v crosswalk.Value, path []step) []zero {
	for name, member := range v.Members() {
		if len(path) == 0 && name == "metadata" {
			continue
		}
		at := append(path[:len(path):len(path)], step{name: name})
		switch member.Type() {
		case crosswalk.TypeObject:
			to = appendZeros(to, member, at)
			continue
		case crosswalk.TypeArray:
			for i, e := range member.Elements() {
				if e.Type() == crosswalk.TypeObject {
					to = appendZeros(to, e, append(at[:len(at):len(at)], step{element: i + 1}))
				}
			}
			continue
		}
		switch raw, _ := member.Raw(); string(raw) {
		case "0", "false", `""`:
			to = append(to, zero{path: at, value: string(raw)})
		}
	}
	return to
}

// put sets the zero's other value in an object.
func (z zero) put(v crosswalk.Value) {
	for _, s := range z.path[:len(z.path)-1] {
		if s.element == 0 {
			v, _ = v.Get(s.name)
		} else {
			v = at(elements(v), s.element-1)
		}
	}
	v.SetRaw(crosswalk.Path{z.path[len(z.path)-1].name}, []byte(z.value))
}

// name returns the path in the form of messages.
func (z zero) name() string {
	var b strings.Builder
	for _, s := range z.path {
		if s.element > 0 {
			fmt.Fprintf(&b, "[%d]", s.element-1)
		} else {
			b.WriteString("." + s.name)
		}
	}
	return b.String()
}

// kept reports whether a result has a member at the zero's place.
func (z zero) kept(result crosswalk.Value) bool {
	v := result
	for _, s := range z.path {
		if s.element > 0 {
			v = at(elements(v), s.element-1)
			continue
		}
		var ok bool
		if v, ok = v.Get(s.name); !ok {
			return false
		}
	}
	return v.Type() != crosswalk.TypeInvalid
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
