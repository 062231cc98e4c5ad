package kubebuilder

import (
	"slices"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// difference is what distinguishes a probe's result from the fragment's.
type difference struct {
	marks    map[int]bool // the numbers in places that differ
	booleans int          // the places where a boolean differs
	some     bool
}

// compare adds the differences between a value of the fragment's result and of the probe's.
func (d *difference) compare(before, after crosswalk.Value) {
	a, _ := before.Raw()
	b, _ := after.Raw()
	if string(a) == string(b) {
		return
	}
	switch {
	case before.Type() == crosswalk.TypeObject && after.Type() == crosswalk.TypeObject:
		d.members(before, after)
	case before.Type() == crosswalk.TypeArray && after.Type() == crosswalk.TypeArray:
		was, is := elements(before), elements(after)
		for i := range max(len(was), len(is)) {
			d.compare(at(was, i), at(is, i))
		}
	default:
		d.some = true
		d.add(after)
		if before.Type() == crosswalk.TypeBool && after.Type() != crosswalk.TypeBool { // omitted, since it is false now
			d.booleans++
		}
	}
}

// members compares the members of two objects, except some.
func (d *difference) members(before, after crosswalk.Value, except ...string) {
	was, is := indexOf(before), indexOf(after)
	for name, member := range after.Members() {
		if !slices.Contains(except, name) {
			d.compare(was.get(name), member)
		}
	}
	for name, member := range before.Members() {
		if !slices.Contains(except, name) && is.get(name).Type() == crosswalk.TypeInvalid {
			d.compare(member, crosswalk.Value{})
		}
	}
}

// add adds a value that only the probe's result has.
func (d *difference) add(v crosswalk.Value) {
	switch v.Type() {
	case crosswalk.TypeObject:
		for _, member := range v.Members() {
			d.add(member)
		}
	case crosswalk.TypeArray:
		for _, e := range v.Elements() {
			d.add(e)
		}
	case crosswalk.TypeBool:
		d.booleans++
	case crosswalk.TypeNumber, crosswalk.TypeString:
		if d.marks == nil {
			d.marks = map[int]bool{}
		}
		raw, _ := v.Raw()
		for _, n := range marks(raw) {
			d.marks[n] = true
		}
	}
}

// divide returns the groups to probe after a group of which some are lost. Another zero of the
// group may hide them: a probe of the lost ones alone shows them, and booleans, which conditions
// are made of, are probed by themselves. Numbers and strings without any effect go nowhere.
func (d *difference) divide(group, lost []zero) [][]zero {
	switch {
	case len(lost) == 0:
		return nil
	case lost[0].boolean != lost[len(lost)-1].boolean:
		return halves(lost)
	case len(lost) < len(group):
		return [][]zero{lost}
	case len(lost) > 1 && (d.some || lost[0].boolean):
		return halves(lost)
	}
	return nil
}
