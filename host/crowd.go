package host

import (
	"context"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// A part of an object takes 40 bytes, and an object of nothing but small elements of which a module declares parts has one for every two of its
// own. Batches of such objects are converted one after the other, as far as all reviews' together would have more parts than the largest
// object can: who stores lists of a million zeros could otherwise have every processor hold a hundred times their bytes.
const (
	// manyParts is from how many parts on a batch is one of these: 2.6 MB, and as much for what is answered. Objects of a megabyte that people
	// wrote have a tenth of that.
	manyParts = 64 << 10
	// leastOfAPart is the fewest bytes of an object that take a part: an element and a comma.
	leastOfAPart = 2
)

// newCrowd returns the gate for objects of up to so many bytes. Its units are parts.
func newCrowd(objectBytes int) *gate {
	const everybody, ages = 1 << 30, 24 * time.Hour // reviews have an end of their own
	return newGate(int64(max(objectBytes/leastOfAPart, manyParts)), everybody, ages)
}

// expect makes room for the parts of an object of the batch, the j-th, of which nobody took notes. It waits for its turn if the batch has many,
// and returns false if the time for the request is up before.
func (l *lane) expect(ctx context.Context, fields *projection.Fields, whole []byte, j int) bool {
	if len(whole) < manyParts*leastOfAPart/2 && len(l.projector.parts) < manyParts { // too small to be worth counting
		return true
	}
	n := fields.Count(whole)
	if need := len(l.projector.parts) + n; need > manyParts && l.crowding == 0 {
		for _, i := range l.batch[j+1:] {
			o := &l.review.objects[i]
			need += (o.span.End - o.span.Start) / leastOfAPart
		}
		units := min(int64(need), l.crowd.limit)
		if l.crowd.enter(ctx, units) != nil {
			return false
		}
		l.crowding = units
	}
	l.projector.expect(n)
	return true
}

// leaveCrowd lets others have their turn, and gives up the room, which is what they waited for.
func (l *lane) leaveCrowd() {
	if l.crowding > 0 {
		l.projector.reset()
		l.projector.parts, l.checker.answered = nil, nil
		l.crowd.leave(l.crowding)
		l.crowding = 0
	}
}
