package host

import "bytes"

// Tap lets somebody hear of conversions that modules did, for example to have other modules try the same. It is safe for concurrent
// use, and quick: reviews wait for it.
type Tap interface {
	// Listener returns who wants to hear of conversions along one step, done by a module; nil, as it mostly is, if nobody does. From
	// and to are bare versions. It is asked once for each step of a review, and of a large one once for each share that is converted by itself.
	Listener(group, kind, from, to string, by Module) Listener
}

// Listener hears of conversions along one step. If a Tap returns the same one more than once, that is safe for concurrent use.
type Listener interface {
	// Wants says whether to tell of the conversion of one object, of so many bytes, that is about to be done.
	Wants(size int) bool

	// Converted tells of one: the whole object before the step, and after it as it will be when nothing else is done to it, with the
	// metadata that no module decides on. Both are the listener's from then on. after is nil if the module refused the object. Objects
	// that came to nothing for any other reason are not told of.
	Converted(before, after []byte)
}

// tapped is an object whose conversion somebody wants to hear of.
type tapped struct {
	object int // its index in the review
	before []byte
}

// listen asks who wants to hear of the n-th step of a path, and keeps the objects as they are before it.
func (l *lane) listen(p *path, n int) Listener {
	l.tapped, l.refused = l.tapped[:0], -1
	if l.tap == nil {
		return nil
	}
	e := &p.edges[n]
	listener := l.tap.Listener(e.Group, e.Kind, e.From, e.To, e.Module)
	if listener == nil {
		return nil
	}
	for _, i := range l.batch {
		o := &l.review.objects[i]
		if !listener.Wants(o.span.End - o.span.Start) {
			continue
		}
		t := tapped{object: i}
		if n == 0 {
			t.before = bytes.Clone(o.span.Of(l.review.body))
		} else {
			t.before = l.now(i, p.hops[n-1].toJSON)
		}
		l.tapped = append(l.tapped, t)
	}
	return listener
}

// tell tells the listener what the step made of the objects, or that one of them was refused.
func (l *lane) tell(to Listener, h *hop, fail *failure) {
	for _, t := range l.tapped {
		switch {
		case fail == nil:
			to.Converted(t.before, l.now(t.object, h.toJSON))
		case fail.kind == FailureRefused && t.object == l.refused:
			to.Converted(t.before, nil)
		}
	}
	clear(l.tapped)
}

// now returns a copy of a converted object as it would be in the answer if it had been asked for at its present version.
func (l *lane) now(i int, apiVersion []byte) []byte {
	count := writer{counting: true}
	l.review.objects[i].write(&count, l.review.body, &l.objects[i].content, apiVersion, forServer)
	out := writer{dst: make([]byte, 0, count.n)}
	l.review.objects[i].write(&out, l.review.body, &l.objects[i].content, apiVersion, forServer)
	return out.dst
}
