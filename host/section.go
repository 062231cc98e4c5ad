package host

import (
	"bytes"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// The objects of a large review are read by all processors at once, in sections of the body. A section begins where an object of the list
// seems to: at a text like that which the first one begins with. Whether it is one is known when the section before it has been read: the
// reader of a list is in the same state before each of its elements, so if the elements before a section end where it begins, then what
// was read of it is what would have been read in order. If they do not, it is read again, in order, as all is that follows an error: what
// is told of a review does not depend on how it was cut.
const (
	minSection         = 128 << 10 // bytes
	sectionsOfAReader  = 4
	longestResemblance = 512 // bytes in which the beginnings of objects are to be alike: apiVersion and kind
)

// section is a part of a list of objects.
type section struct {
	start, end int // in the body; where the next one starts
	objects    []object
	read       int // up to where: behind the last of objects
}

// reader reads sections, one after the other. It is used again for other reviews, and by one goroutine at a time.
type reader struct {
	scan  rawjson.Scanner
	notes notes
}

// divide returns where sections of the list may start whose first element is next for the scanner; none if it is not worth it, or if
// the elements do not begin as API servers write objects.
func divide(body []byte, first, readers int) []section {
	n := min((len(body)-first)/minSection, readers*sectionsOfAReader)
	if readers < 2 || n < 2 {
		return nil
	}
	head := body[first:min(first+longestResemblance, len(body))]
	alike := bytes.Index(head, []byte(`"metadata":`))
	if alike < 0 {
		return nil
	}
	between := append([]byte{','}, head[:alike]...)
	sections := make([]section, 1, n)
	sections[0].start = first
	for i := 1; i < n; i++ {
		from, to := first+(len(body)-first)/n*i, first+(len(body)-first)/n*(i+1)
		from = max(from, sections[len(sections)-1].start+1)
		if at := bytes.Index(body[from:max(to, from)], between); at >= 0 {
			sections[len(sections)-1].end = from + at + 1
			sections = append(sections, section{start: from + at + 1})
		}
	}
	sections[len(sections)-1].end = len(body)
	return sections
}

// readSections reads the list, whose first element is next for the scanner, as far as the first section goes, and what seem to be the
// others. It leaves the scanner before the element that follows, and returns whether there is one.
func (r *review) readSections(s *rawjson.Scanner, sections []section, limits Limits, notes *notes) (more bool) {
	readers := min(runtime.GOMAXPROCS(0), len(sections))
	for len(r.readers) < readers {
		r.readers = append(r.readers, &reader{})
	}
	depth, most := s.Depth(), limits.Objects/len(sections)+1
	var next atomic.Int64 // the section that nobody has taken yet
	next.Store(1)
	atOnce(readers, func(k int) {
		if k == 0 {
			for more = true; more && s.Offset() < sections[0].end; more = s.Element() {
				r.readOne(s, limits, notes)
			}
			if !more {
				next.Store(int64(len(sections))) // the list ends here, or an error does
			}
		}
		reader := r.readers[k]
		reader.notes.routes, reader.notes.want, reader.notes.by = notes.routes, notes.want, reader
		for i := next.Add(1) - 1; i < int64(len(sections)); i = next.Add(1) - 1 {
			reader.read(&sections[i], r.body, limits, depth, most)
		}
	})
	n := 0
	for i := range sections {
		n += len(sections[i].objects)
	}
	r.objects = slices.Grow(r.objects, min(n, limits.Objects-len(r.objects)))
	return more
}

// read reads the objects that begin in a section, as long as there is nothing wrong with them, and no more than so many.
func (r *reader) read(p *section, body []byte, limits Limits, depth, most int) {
	r.scan.ResetWithin(body, limits.Depth+envelopeDepth, depth, p.start)
	r.scan.LimitMembers(limits.ObjectBytes / leastMember) // those around the list left out, so that nothing passes here that would not in order
	r.notes.most = len(r.notes.parts) + (p.end-p.start)/bytesOfAPart
	var objects []object
	for len(objects) < most && r.scan.Element() && r.scan.Offset() < p.end {
		n := len(objects)
		if n == cap(objects) {
			objects = slices.Grow(objects, min(n*(p.end-p.start)/(r.scan.Offset()-p.start+1)+1, most)-n)
		}
		objects = objects[:n+1]
		if readObject(&r.scan, body, &objects[n], &r.notes); r.scan.Err() != nil {
			objects = objects[:n]
			r.notes.trace = projection.Tracer{}
			break
		}
		p.read = r.scan.Offset()
		if objects[n].hopeless() {
			break
		}
	}
	p.objects = objects
}

// follows returns the section that starts with the element at an offset, of which something was read, and those behind it; nil, and those
// that start behind the element, if there is none.
func follows(sections []section, at int) (here *section, rest []section) {
	for len(sections) > 0 && sections[0].start < at {
		sections = sections[1:]
	}
	if len(sections) > 0 && sections[0].start == at && len(sections[0].objects) > 0 {
		return &sections[0], sections[1:]
	}
	return nil, sections
}

// release lets go of everything.
func (r *reader) release() {
	r.scan.Reset(nil, 0)
	r.notes.release()
}
