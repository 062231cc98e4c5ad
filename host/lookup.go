package host

import (
	"bytes"
	"context"
	"hash/maphash"
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

// API servers convert an object anew for every read, and most reads find it unchanged: then the
// whole body is that of an earlier review, but for the uid. Such a body is known to be valid, and
// its answer to be right, without reading it: the cache compares it byte by byte with the earlier
// body.

const (
	// reviewBytes is the longest body that the cache compares: an ordinary object of any size has
	// less, and a list of objects is not asked for twice.
	reviewBytes = 256 << 10
	// uidWithin is the number of bytes at the beginning of a body in which a uid is looked for. API
	// servers write it first.
	uidWithin = 256
	// plainUID is the most bytes of a uid; that of API servers has 36.
	plainUID = 64
)

// plainUIDIn finds the first member uid of a body that is written without spaces and escapes,
// wherever it belongs to.
func plainUIDIn(body []byte) (from, to int, ok bool) {
	const key = `"uid":"`
	from = bytes.Index(body[:min(len(body), uidWithin)], []byte(key)) + len(key)
	if from < len(key) {
		return 0, 0, false
	}
	for to = from; to < len(body) && to-from <= plainUID; to++ {
		switch c := body[to]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '-':
		default:
			return from, to, c == '"' && to > from
		}
	}
	return 0, 0, false
}

// recall answers a review whose body differs from that of a stored one in the uid only, if the same
// modules and definitions serve. ok is false if it does not know the answer.
func (v *conversion) recall(ctx context.Context, routes *Routes, body []byte) (answer []byte, outcome Outcome, ok bool) {
	c := v.converter.cache
	if c == nil || len(body) > reviewBytes || ctx.Err() != nil {
		return nil, Outcome{}, false
	}
	from, to, ok := plainUIDIn(body)
	if !ok {
		return nil, Outcome{}, false
	}
	e := c.findReview(body[:from], body[to:], func(r *storedReview) bool { return r.routes == routes && v.wouldRepeat(r) })
	if e == nil || !v.hold(len(e.output)+to-from) {
		return nil, Outcome{}, false
	}
	at := e.review.answerUID
	answer = append(v.converter.answers.get(len(e.output)+to-from), e.output[:at]...)
	answer = append(append(answer, body[from:to]...), e.output[at:]...)
	outcome = e.review.outcome
	outcome.UID = string(body[from:to])
	return answer, outcome, true
}

// wouldRepeat reports whether a conversion would give the stored answer and have no other effect:
// the definition is the same.
func (v *conversion) wouldRepeat(r *storedReview) bool {
	s := v.converter.schemas
	return s == nil || s.Find(r.edge.Group, r.edge.Kind) == r.definition
}

// remember stores the answer to a review of one object, after its output came from the cache:
// bodies that are not sent again take no memory, and a module on probation does not use the cache.
// It leaves out what has to be logged or done each time: violations of schemas, paths of several
// hops.
func (v *conversion) remember(routes *Routes, answer []byte, hits int) {
	r := &v.review
	if v.converter.cache == nil || len(r.body) > reviewBytes || len(v.objects) != 1 || len(v.chunks) != 1 || hits != 1 {
		return
	}
	path, o := v.sources[0].path, v.outcome
	if len(path.hops) != 1 || o.Violation != "" || o.Invalid+o.Pruned+o.Unchecked > 0 {
		return
	}
	from, to, ok := plainUIDIn(r.body)
	at := len(answerStart) + len(r.version) + len(answerUID) + 1 // the quote
	if !ok || r.uidAt.Start+1 != from || r.uidAt.End-1 != to || string(answer[at:at+len(r.uid)]) != r.uid {
		return
	}
	o.UID = ""
	v.converter.cache.keepReview(&cacheEntry{
		module: path.edges[0].Module,
		input:  slices.Concat(r.body[:from], r.body[to:]),
		output: slices.Concat(answer[:at], answer[at+len(r.uid):]),
		review: &storedReview{uid: from, answerUID: at, edge: path.edges[0], routes: routes, definition: v.definition, outcome: o},
	})
}

func (c *Cache) reviewHash(head, tail []byte) uint64 {
	if c.collide {
		return 1
	}
	return maphash.Bytes(c.seed, head) ^ 3*maphash.Bytes(c.seed, tail)
}

// findReview returns the entry of a body, given by its bytes before and after the uid, if it is
// good.
func (c *Cache) findReview(head, tail []byte, good func(*storedReview) bool) *cacheEntry {
	hash := c.reviewHash(head, tail)
	s := c.shard(hash)
	s.mu.Lock()
	e := s.entries[hash]
	s.mu.Unlock()
	if e == nil || e.review == nil || e.review.uid != len(head) ||
		!bytes.Equal(e.input[:len(head)], head) || !bytes.Equal(e.input[len(head):], tail) || !good(e.review) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[hash] == e { // else it was dropped, and is still right
		s.use(e)
	}
	c.hits.Add(1)
	return e
}

// keepReview stores the entry of a body.
func (c *Cache) keepReview(e *cacheEntry) {
	e.hash = c.reviewHash(e.input[:e.review.uid], e.input[e.review.uid:])
	s := c.shard(e.hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	c.put(s, e)
}
