package kubebuilder

import (
	"fmt"
	"strconv"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// maxProbes bounds the conversions that find out where a fragment's zeros go. With the fragment's
// own and that of its metadata they are 8. Six are enough to find one bad value among 32.
const maxProbes = 6

// search finds the members of a fragment's result that come from a zero that the fragment has. It
// converts the fragment with other values in place of zeros, and compares the results.
type search struct {
	convert func(text []byte) ([]byte, error)
	text    []byte // of the fragment
	kind    string
	grower  grower
	places  []place // of the result, of which some member may be withheld
	all     []zero
	inText  []int32 // the indexes of all in the order of the text
	found   []bool  // whether the last probe shows a mark
	probes  int     // so far
	budget  budget
}

// run probes until each zero is found in a result or no member depends on the answer. All zeros are
// in the first probe; a group that is refused, or hides some of its zeros, is divided.
func (s *search) run() {
	if len(s.places) == 0 {
		return
	}
	s.zeros()
	if len(s.all) == 0 {
		return
	}
	groups := [][]zero{s.all}
	for len(groups) > 0 && len(s.places) > 0 {
		if s.probes == maxProbes || !s.budget.allows() {
			s.giveUp(groups)
			return
		}
		groups = append(groups[1:], s.probe(groups[0])...)
		s.budget.converted()
	}
}

// giveUp logs the zeros that are not found: members that come from them may be missing.
func (s *search) giveUp(groups [][]zero) {
	count := 0
	for _, group := range groups {
		count += len(group)
	}
	crosswalk.Logf(crosswalk.LevelWarn, "the %s is a fragment, and %d of its zeros, such as %s, count as not set unless they keep their place: the search for other places used up its share of the fuel or its %d conversions",
		s.kind, count, s.grower.said.path(groups[0][0].node), maxProbes)
}

// probe converts the fragment with other values for a group of zeros, and returns the groups to
// probe next.
func (s *search) probe(group []zero) [][]zero {
	s.probes++
	text, err := s.convert(s.replaced(group))
	if err != nil {
		return divideRefused(group, err.Error())
	}
	probe := newTree(text)
	s.places = s.grower.compare(s.places, probe, root)
	clear(s.found)
	d := difference{result: s.grower.result, probe: probe, marks: s.found}
	d.members(root, root, envelope) // an annotation may have a copy of all values
	return d.divide(group, lost(group, &d))
}

// lost returns the zeros of a group whose other values are not in the probe's result. Booleans are
// not distinct: if fewer of them changed than the group has, any of them may be lost.
func lost(group []zero, d *difference) (lost []zero) {
	booleans := 0
	for i := range group {
		if z := &group[i]; z.boolean && !z.kept {
			booleans++
		}
	}
	for i := range group {
		z := &group[i]
		found := d.marks[z.mark]
		if z.boolean {
			found = d.booleans >= booleans
		}
		if !found && !z.kept {
			lost = append(lost, *z)
		}
	}
	return lost
}

// divideRefused returns the parts of a group that the types refuse together. A message often has
// the value that is wrong. A zero whose own value is refused counts as not set.
func divideRefused(group []zero, message string) [][]zero {
	named := map[int]bool{}
	text := []byte(message)
	for n, i := number(text, 0); n >= 0; n, i = number(text, i) {
		named[n] = true
	}
	var suspects, others []zero
	for _, z := range group {
		if named[z.mark] && !z.boolean {
			suspects = append(suspects, z)
		} else {
			others = append(others, z)
		}
	}
	switch {
	case len(group) == 1:
		return nil
	case len(suspects) > 0 && len(others) > 0:
		return [][]zero{others, suspects}
	}
	return halves(group)
}

// halves divides a group: booleans from others, or in the middle.
func halves(group []zero) [][]zero {
	middle := 0
	for middle < len(group) && !group[middle].boolean { // zeros has put them in order
		middle++
	}
	if middle == 0 || middle == len(group) {
		middle = len(group) / 2
	}
	return [][]zero{group[:middle], group[middle:]}
}

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
	said, result *tree
	all          []zero
}

// zeros finds the zeros of a fragment, each with a value of its own: first numbers, then strings,
// then booleans. A string is a number, too, because conversions parse strings.
func (s *search) zeros() {
	f := finder{said: s.grower.said, result: s.grower.result}
	f.object(root, root)
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
func (f *finder) object(object, result int32) {
	there := f.result.members(result)
	for m := f.said.first(object); m > 0; m = f.said.next(m) {
		switch f.said.kind(m) {
		case '{':
			name := f.said.name(m)
			if object == root && name == "metadata" {
				continue
			}
			f.object(m, there.get(name))
		case '[':
			f.list(m, there.get(f.said.name(m)))
		case '0', 'f', '"':
			switch string(f.said.raw(m)) {
			case "0", "false", `""`:
				nd := &f.said.nodes[m]
				f.all = append(f.all, zero{node: m, start: int(nd.start), end: int(nd.end), kept: f.result.some(there.get(f.said.name(m)))})
			}
		}
	}
}

func (f *finder) list(list, result int32) {
	there := int32(0)
	if f.result.kind(result) == '[' {
		there = f.result.first(result)
	}
	for e := f.said.first(list); e > 0; e = f.said.next(e) {
		if f.said.kind(e) == '{' {
			f.object(e, there)
		}
		there = f.result.next(there)
	}
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

// budget is the fuel that the search for a fragment's zeros may use.
type budget struct {
	known   bool  // the gateway tells the fuel that is used
	end     int64 // of the search
	last    int64 // when the last conversion and the walks after it had ended
	dearest int64 // the most of a conversion with its walks
}

// newBudget returns the budget for a fragment of some bytes whose own conversion begins. A gateway
// grants 50 million units for each object and 5,000 for each of its bytes, if its flags do not say
// otherwise. The search stops where it could exceed half of that.
func newBudget(size int) budget {
	const perObject, perByte = 50_000_000, 5_000
	used, known := fuelUsed()
	return budget{known: known, last: used, end: used + (perObject+perByte*int64(size))/2}
}

// converted counts a conversion, with the walks after it.
func (b *budget) converted() {
	if used, known := fuelUsed(); known {
		b.last, b.dearest = used, max(b.dearest, used-b.last)
	}
}

// allows reports whether the budget has room for one more conversion. A gateway that does not tell
// the fuel gets as many conversions as any fragment can have.
func (b *budget) allows() bool { return !b.known || b.last+b.dearest <= b.end }
