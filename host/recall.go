package host

import "context"

// recall is what the cache knows of a batch. All of it is positions in the batch.
type recall struct {
	known   []int // with an answer
	entries []*cacheEntry
	led     []int // without, to be converted here
	flights []*flight
	joined  []int // which others are converting
	awaited []*flight
}

// remembered converts the batch with the help of the cache: what it knows is taken from there, what somebody else is converting is waited for,
// and the module converts the rest. first says that it is the first hop, on which what the contract's check says of an answer depends
// on the view alone, so that it need not be repeated.
func (l *lane) remembered(ctx context.Context, h *hop, first bool) *failure {
	r := &l.recall
	r.reset()
	sure := first && h.fields == nil // with fields the answer is put into the object, of which the module saw a part
	for j, view := range l.views {
		e, f, lead := l.cache.ask(h, view)
		switch {
		case e != nil:
			r.known, r.entries = append(r.known, j), append(r.entries, e)
		case lead:
			r.led, r.flights = append(r.led, j), append(r.flights, f)
		default:
			r.joined, r.awaited = append(r.joined, j), append(r.awaited, f)
		}
	}
	// Whatever happens, those who wait for this review must not wait for ever.
	defer func() {
		for i, f := range r.flights {
			if f != nil {
				l.cache.land(f, nil)
				r.flights[i] = nil
			}
		}
	}()
	if fail := l.convertNew(ctx, h, sure); fail != nil {
		return fail
	}
	// Flights of its own have landed by now, so that no two reviews can wait for each other.
	var left []int
	for i, j := range r.joined {
		select {
		case <-r.awaited[i].landed:
		case <-ctx.Done(): // the next call of a module says so
		}
		if e := r.awaited[i].answer(); e != nil {
			r.known, r.entries = append(r.known, j), append(r.entries, e)
		} else {
			left = append(left, j)
		}
	}
	for i, j := range r.known {
		if fail := l.takeKnown(h, j, r.entries[i], sure); fail != nil {
			return fail
		}
	}
	if len(left) > 0 {
		return l.some(ctx, h, left, nil)
	}
	return nil
}

// answer returns what a flight brought; nil if it has not landed, or brought nothing.
func (f *flight) answer() *cacheEntry {
	select {
	case <-f.landed:
		return f.entry
	default:
		return nil
	}
}

// convertNew has the module convert what the cache does not know, and lands the flights.
func (l *lane) convertNew(ctx context.Context, h *hop, sure bool) *failure {
	r := &l.recall
	if len(r.led) == 0 {
		return nil
	}
	kept := make([]cacheEntry, len(r.led))
	if fail := l.some(ctx, h, r.led, kept); fail != nil {
		return fail
	}
	for i, j := range r.led {
		f := r.flights[i]
		if f == nil { // a collision: somebody else has its place
			continue
		}
		e := &kept[i]
		e.hash, e.module, e.to = f.hash, h.module, h.to
		if sure {
			e.made, e.sure = l.objects[l.batch[j]].content, true
		}
		l.cache.land(f, e)
		r.flights[i] = nil
	}
	return nil
}

// takeKnown takes an answer from the cache.
func (l *lane) takeKnown(h *hop, j int, e *cacheEntry, sure bool) *failure {
	i := l.batch[j]
	c := &l.objects[i].content
	if sure && e.sure {
		*c = e.made
		return l.count(h, len(e.answer))
	}
	return l.take(h, j, e.answer)
}

func (r *recall) reset() {
	r.known, r.led, r.joined = r.known[:0], r.led[:0], r.joined[:0]
	clear(r.entries)
	clear(r.flights)
	clear(r.awaited)
	r.entries, r.flights, r.awaited = r.entries[:0], r.flights[:0], r.awaited[:0]
}

// release lets go of everything.
func (r *recall) release() {
	r.known, r.led, r.joined = empty(r.known), empty(r.led), empty(r.joined)
	r.entries, r.flights, r.awaited = empty(r.entries), empty(r.flights), empty(r.awaited)
}
