package host

import "github.com/crosswalk-gateway/crosswalk/internal/rawjson"

// knownContainers has the places of containers in the objects of a request. They were read, and so
// are valid: equal containers of the next object, or of a module's answer, need not be read again.
type knownContainers struct {
	list     []rawjson.Known // of all objects before the last one; of all objects after end
	most     int             // in list
	begun    bool            // an object has been read, or is
	compared bool            // it was compared with the one before it
	unlike   bool            // an object had nothing in common with the one before it: the next are not compared
}

// knownRange is the part of knownContainers.list from index from up to but not including to.
type knownRange struct{ from, to int }

// At most one container is recorded for every 128 bytes of a body, so their places take an eighth
// of its size. A body of any size may have minKnown.
const (
	bytesPerKnown = 128
	minKnown      = 1024
)

// begin is called before each object of the body, and has it compared with the one before it.
func (n *knownContainers) begin(s *rawjson.Scanner, body []byte) {
	before, most := n.take(s), n.most
	if !n.begun || n.unlike {
		before, most = nil, 0
	}
	s.Record(n.list, most)
	s.Compare(body, before)
	n.begun, n.compared = true, len(before) > 0
}

// whole is called for an object that the module sees, and so answers, as a whole. The answer is
// compared with the object, so its containers are recorded in any case.
func (n *knownContainers) whole(s *rawjson.Scanner) { s.Record(s.Recorded(), n.most) }

// end is called after the last object.
func (n *knownContainers) end(s *rawjson.Scanner) {
	n.take(s)
	s.Record(nil, 0)
	s.Compare(nil, nil)
}

// take adds the containers of the last object to the list and returns them.
func (n *knownContainers) take(s *rawjson.Scanner) (last []rawjson.Known) {
	if !n.begun {
		return nil
	}
	n.unlike = n.unlike || n.compared && s.Equal() == 0
	from := len(n.list)
	n.list = s.Recorded()
	return n.list[from:]
}

// of returns the containers of an object after its metadata.
func (n *knownContainers) of(o *object) []rawjson.Known { return n.list[o.known.from:o.known.to] }
