package fuzz

// checks returns the checks that are due. Those that find rare mistakes, or convert an object
// several times, run seldom.
func (c *checker) checks(v *version) (all []check) {
	add := func(every int, one check) {
		if v.due(every) {
			all = append(all, one)
		}
	}
	add(1, check{stored: true, run: c.roundTrips})
	add(8, check{stored: true, edits: c.edits, run: c.staleTrips})
	add(8, check{stored: true, run: c.hidden})
	add(8, check{stored: true, run: c.dependence})
	if c.whole != nil {
		add(8, check{stored: true, run: c.undeclared})
	}
	if len(c.versions) > 2 {
		add(2, check{stored: true, run: c.chains})
	}
	add(8, check{run: c.fragments})
	return all
}
