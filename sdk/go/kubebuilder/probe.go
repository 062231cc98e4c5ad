package kubebuilder

import (
	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// maxProbes bounds the conversions that find out where a fragment's zeros go. With the fragment's
// own and that of its metadata they are 8. Six are enough to find one bad value among 32.
const maxProbes = 6

// search finds the members of a fragment's result that come from a zero that the fragment has. It
// converts the fragment with other values in place of zeros, and compares the results.
type search struct {
	convert func(text []byte) ([]byte, error)
	decoded codec.Shape // of the fragment
	text    []byte      // of the fragment
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
