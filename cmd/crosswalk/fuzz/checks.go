package fuzz

import (
	"context"
	"iter"
)

// check tests objects of one version against conversions to another. To add one, write a method of
// checker in a file of its own, and name it in checks.
type check struct {
	// stored: the objects are as an API server stores them. Others are fragments.
	stored bool
	// edits, unless it is nil, makes other objects of them, of the version to. Then run tests these,
	// against the conversions to every other version.
	edits func(ctx context.Context, from, to *version, objects []*subject) iter.Seq2[[]*subject, error]
	// run returns the symptoms of each object.
	run func(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error)
}

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
	add(8, c.answered(c.leftovers))
	add(8, c.answered(c.repeated))
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
