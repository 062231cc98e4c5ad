package kubebuilder

import (
	"runtime"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// maxProbes bounds the conversions that find out where a fragment's zeros go. With the fragment's
// own and that of its metadata they are 8. Six are enough to find one bad value among 32.
const maxProbes = 6

// search finds the members of a fragment's result that come from a zero that the fragment has. It
// converts the fragment with other values in place of zeros, and compares the results.
type search struct {
	convert          func(text []byte) (*crosswalk.Object, error)
	decoded          codec.Shape // of the fragment
	fragment, result *crosswalk.Object
	text             []byte // of the fragment
	grower           *grower
	places           []*place // of the result, of which some member may be withheld
	probes           int      // so far
	left             int64    // bytes that conversions may still allocate
	dearest          int64    // bytes that the dearest conversion has allocated
}

// run probes until each zero is found in a result or no member depends on the answer. All zeros are
// in the first probe; a group that is refused, or hides some of its zeros, is divided.
func (s *search) run() {
	if len(s.places) == 0 {
		return
	}
	all := s.zeros()
	if len(all) == 0 {
		return
	}
	groups := [][]zero{all}
	for len(groups) > 0 && len(s.places) > 0 {
		if s.probes == maxProbes || s.left < s.dearest {
			s.giveUp(groups)
			return
		}
		groups = append(groups[1:], s.probe(groups[0])...)
	}
}

// giveUp logs the zeros that are not found: members that come from them may be missing.
func (s *search) giveUp(groups [][]zero) {
	count := 0
	for _, group := range groups {
		count += len(group)
	}
	crosswalk.Logf(crosswalk.LevelWarn, "the %s is a fragment, and %d of its zeros, such as %s, count as not set unless they keep their place: the search for other places used up its share of the fuel or its %d conversions",
		s.fragment.Kind(), count, groups[0][0].name(), maxProbes)
}

// try is convert, and takes the bytes that it allocates from left. The first probe counts as much as
// the fragment's own conversion, because to read a number of bytes costs more than to convert a
// small fragment.
func (s *search) try(text []byte) (*crosswalk.Object, error) {
	if s.probes++; s.probes == 1 {
		s.left -= s.dearest
		return s.convert(text)
	}
	before := allocated()
	o, err := s.convert(text)
	cost := int64(allocated() - before)
	s.left, s.dearest = s.left-cost, max(s.dearest, cost)
	return o, err
}

// most returns the bytes that a fragment's conversions may allocate. A module cannot read its fuel. A
// gateway grants 50 million units for each object and 5,000 for each of its bytes. The conversions that
// were measured use 160 units for each byte that they allocate, with YAML, like OpenTelemetry's, to 300,
// with reflection, like KubeBlocks'. By this estimate, half of the fuel is left when the last probe
// ends: the other half is for conversions with another relation.
func most(size int) int64 {
	const perObject, perByte, perAllocated = 50_000_000, 5_000, 300
	return (perObject + perByte*int64(size)) / 2 / perAllocated
}

// allocated returns the bytes that the program has allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// probe converts the fragment with other values for a group of zeros, and returns the groups to
// probe next.
func (s *search) probe(group []zero) [][]zero {
	o, err := s.try(s.replaced(group))
	if err != nil {
		return divideRefused(group, err.Error())
	}
	s.places = s.grower.compare(s.places, o.Value)
	var d difference
	d.members(s.result.Value, o.Value, "apiVersion", "kind", "metadata") // an annotation may have a copy of all values
	return d.divide(group, lost(group, &d))
}

// lost returns the zeros of a group whose other values are not in the probe's result. Booleans are
// not distinct: if fewer of them changed than the group has, any of them may be lost.
func lost(group []zero, d *difference) (lost []zero) {
	booleans := 0
	for _, z := range group {
		if z.boolean && !z.kept {
			booleans++
		}
	}
	for _, z := range group {
		found := d.marks[z.mark]
		if z.boolean {
			found = d.booleans >= booleans
		}
		if !found && !z.kept {
			lost = append(lost, z)
		}
	}
	return lost
}

// divideRefused returns the parts of a group that the types refuse together. A message often has
// the value that is wrong. A zero whose own value is refused counts as not set.
func divideRefused(group []zero, message string) [][]zero {
	named := map[int]bool{}
	for _, n := range marks([]byte(message)) {
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
