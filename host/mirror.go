package host

import "bytes"

// mirrored is an object whose conversion is mirrored.
type mirrored struct {
	object int // its index in the review
	before []byte
}

// listen asks the mirror for a listener for the n-th hop of a path, and copies the sampled objects
// before the hop.
func (w *worker) listen(p *chain, n int) Listener {
	v, e := w.state, &p.edges[n]
	w.mirrored, w.refused = w.mirrored[:0], -1
	listener := v.converter.mirror.Listener(e.Group, e.Kind, e.From, e.To, e.Module)
	if listener == nil {
		return nil
	}
	for _, i := range w.batch {
		o := &v.review.objects[i]
		if !listener.Wants(o.span.End - o.span.Start) {
			continue
		}
		m := mirrored{object: i}
		if n == 0 {
			m.before = bytes.Clone(o.span.Of(v.review.body))
		} else {
			m.before = v.copyOf(i, p.hops[n-1].toJSON)
		}
		w.mirrored = append(w.mirrored, m)
	}
	return listener
}

// mirror gives the listener the results of the hop, or the refusal of one object.
func (w *worker) mirror(to Listener, h *hop, fail *failure) {
	for _, m := range w.mirrored {
		switch {
		case fail == nil:
			to.Converted(m.before, w.state.copyOf(m.object, h.toJSON))
		case fail.kind == FailureRefused && m.object == w.refused:
			to.Converted(m.before, nil)
		}
	}
	clear(w.mirrored)
}

// copyOf returns a copy of a converted object as it would be in an answer with this apiVersion.
func (v *conversion) copyOf(i int, apiVersion []byte) []byte {
	count := writer{counting: true}
	v.review.objects[i].write(&count, v.review.body, &v.objects[i].content, apiVersion, forServer)
	out := writer{dst: make([]byte, 0, count.n)}
	v.review.objects[i].write(&out, v.review.body, &v.objects[i].content, apiVersion, forServer)
	return out.dst
}
