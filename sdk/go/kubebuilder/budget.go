package kubebuilder

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
