package host

import "bytes"

// sampled is the objects of a batch whose conversion is mirrored.
type sampled struct {
	objects []sample
	refused int // the object that a module refused, by its index in the review
}

// sample is an object as it was before a hop.
type sample struct {
	object int // its index in the review
	before []byte
}

// listen asks the mirror for a listener for the n-th hop of a path, and copies the sampled objects
// before the hop.
func (s *sampled) listen(v *conversion, batch []int, p *chain, n int) Listener {
	e := &p.edges[n]
	s.objects, s.refused = s.objects[:0], -1
	listener := v.converter.mirror.Listener(e.Group, e.Kind, e.From, e.To, e.Module)
	if listener == nil {
		return nil
	}
	for _, i := range batch {
		o := &v.review.objects[i]
		if !listener.Wants(o.span.End - o.span.Start) {
			continue
		}
		m := sample{object: i}
		if n == 0 {
			m.before = bytes.Clone(o.span.Of(v.review.body))
		} else {
			m.before = v.copyOf(i, p.hops[n-1].toJSON)
		}
		s.objects = append(s.objects, m)
	}
	return listener
}

// report gives the listener the results of the hop, or the refusal of one object.
func (s *sampled) report(to Listener, v *conversion, h *hop, fail *failure) {
	for _, m := range s.objects {
		switch {
		case fail == nil:
			to.Converted(m.before, v.copyOf(m.object, h.toJSON))
		case fail.reason == FailureRefused && m.object == s.refused:
			to.Converted(m.before, nil)
		}
	}
	s.drop()
}

// drop forgets the objects, so that nothing is reported.
func (s *sampled) drop() {
	clear(s.objects)
	s.objects = s.objects[:0]
}

// copyOf returns a copy of a converted object as it would be in an answer with this apiVersion.
func (v *conversion) copyOf(i int, apiVersion []byte) []byte {
	count := writer{counting: true}
	v.review.objects[i].write(&count, v.review.body, &v.objects[i].content, apiVersion, forServer)
	out := writer{dst: make([]byte, 0, count.n)}
	v.review.objects[i].write(&out, v.review.body, &v.objects[i].content, apiVersion, forServer)
	return out.dst
}
