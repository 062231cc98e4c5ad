package host

import (
	"context"
	"slices"
)

// lookup is one use of the cache, for the batch of one hop: it finds cached outputs (hits), objects
// to convert here (misses), and objects that other reviews are converting now.
type lookup struct {
	cache   *Cache
	hop     *hop
	inputs  [][]byte
	checked bool // store the result of the contract's check with an output

	hits    []hit
	misses  []int         // positions in the batch
	flights []*flight     // of the misses; nil for one that collides with another flight
	entries []*cacheEntry // for the misses, once converted; each of its own, so that none keeps another in memory
	joined  []joined
	left    []int // positions whose awaited conversion failed
}

// hit is an output from the cache.
type hit struct {
	position int // in the batch
	entry    *cacheEntry
}

// joined is an object that another review is converting.
type joined struct {
	position int
	flight   *flight
}

// begin looks up all inputs. A call of abandon must follow.
func (l *lookup) begin(c *Cache, h *hop, inputs [][]byte, checked bool) {
	l.reset()
	l.cache, l.hop, l.inputs, l.checked = c, h, inputs, checked
	for j, input := range inputs {
		switch e, f, lead := c.find(h, input); {
		case e != nil:
			l.hits = append(l.hits, hit{j, e})
		case lead:
			l.misses, l.flights = append(l.misses, j), append(l.flights, f)
		default:
			l.joined = append(l.joined, joined{j, f})
		}
	}
}

// keep copies the outputs for the misses, and replaces them by their copies: the entries and the
// review's contents share them.
func (l *lookup) keep(outputs [][]byte) {
	l.entries = make([]*cacheEntry, len(outputs))
	for k, output := range outputs {
		l.entries[k] = &cacheEntry{}
		if output != nil {
			l.entries[k].input, l.entries[k].output = clone(l.inputs[l.misses[k]], output)
			outputs[k] = l.entries[k].output
		}
	}
}

// clone returns a copy of an input and an output in one allocation: an output may be a part of
// something large.
func clone(input, output []byte) (ownInput, ownOutput []byte) {
	both := slices.Concat(input, output)
	n := len(input)
	return both[:n:n], both[n:len(both):len(both)]
}

// store stores the outputs that keep copied, which the worker has accepted, and ends their flights.
func (l *lookup) store(w *worker) {
	for k, j := range l.misses {
		f := l.flights[k]
		if f == nil {
			continue
		}
		e := l.entries[k]
		e.hash, e.module, e.to = f.hash, l.hop.module, l.hop.to
		if l.checked {
			e.content, e.checked = w.state.objects[w.batch.objects[j]].content, true
		}
		l.cache.land(f, e)
		l.flights[k] = nil
	}
}

// wait waits for the conversions that other reviews do. It adds their outputs to the hits and
// returns the positions of those that failed, or had not ended when ctx did.
func (l *lookup) wait(ctx context.Context) (left []int) {
	for _, j := range l.joined {
		select {
		case <-j.flight.landed:
			if e := j.flight.entry; e != nil {
				l.hits = append(l.hits, hit{j.position, e})
				continue
			}
		case <-ctx.Done(): // the next call of a module reports it
		}
		l.left = append(l.left, j.position)
	}
	return l.left
}

// abandon ends the flights that are still open, so that other reviews do not wait forever.
func (l *lookup) abandon() {
	for k, f := range l.flights {
		if f != nil {
			l.cache.land(f, nil)
			l.flights[k] = nil
		}
	}
}

// reset empties the lookup for the next batch.
func (l *lookup) reset() {
	clear(l.hits)
	clear(l.flights)
	clear(l.joined)
	l.hits, l.misses, l.flights, l.joined, l.left, l.entries = l.hits[:0], l.misses[:0], l.flights[:0], l.joined[:0], l.left[:0], nil
}

// recycle drops all references.
func (l *lookup) recycle() {
	*l = lookup{hits: empty(l.hits), misses: empty(l.misses), flights: empty(l.flights), joined: empty(l.joined), left: empty(l.left)}
}
