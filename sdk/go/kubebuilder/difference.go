package kubebuilder

// difference is what distinguishes a probe's result from the fragment's.
type difference struct {
	result, probe *tree
	marks         []bool // the numbers in places that differ
	booleans      int    // the places where a boolean differs
	some          bool
}

// compare adds the differences between a value of the fragment's result and of the probe's.
func (d *difference) compare(before, after int32) {
	if string(d.result.raw(before)) == string(d.probe.raw(after)) {
		return
	}
	was, is := d.result.kind(before), d.probe.kind(after)
	switch {
	case was == '{' && is == '{':
		d.members(before, after, nil)
	case was == '[' && is == '[':
		d.elements(d.result.first(before), d.probe.first(after))
	default:
		d.some = true
		d.add(after)
		if isBoolean(was) && !isBoolean(is) { // omitted, since it is false now
			d.booleans++
		}
	}
}

func isBoolean(kind byte) bool { return kind == 't' || kind == 'f' }

// members compares the members of two objects, except some.
func (d *difference) members(before, after int32, except func(name string) bool) {
	was, is := d.result.members(before), d.probe.members(after)
	both := 0 // members that both have
	for m := d.probe.first(after); m > 0; m = d.probe.next(m) {
		name := d.probe.name(m)
		there := was.get(name)
		if there > 0 {
			both++
		}
		if except == nil || !except(name) {
			d.compare(there, m)
		}
	}
	if both == d.result.count(before) {
		return
	}
	for m := d.result.first(before); m > 0; m = d.result.next(m) {
		if name := d.result.name(m); except == nil || !except(name) {
			if is.get(name) == 0 {
				d.compare(m, 0)
			}
		}
	}
}

func (d *difference) elements(before, after int32) {
	for before > 0 || after > 0 {
		d.compare(before, after)
		before, after = d.result.next(before), d.probe.next(after)
	}
}

// add adds a value that only the probe's result has.
func (d *difference) add(n int32) {
	switch kind := d.probe.kind(n); {
	case kind == '{' || kind == '[':
		for m := d.probe.first(n); m > 0; m = d.probe.next(m) {
			d.add(m)
		}
	case isBoolean(kind):
		d.booleans++
	case kind != 0 && kind != 'n':
		text := d.probe.raw(n)
		for n, i := number(text, 0); n >= 0; n, i = number(text, i) {
			if n < len(d.marks) {
				d.marks[n] = true
			}
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
