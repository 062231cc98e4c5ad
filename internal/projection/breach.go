package projection

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Breach is the rule of the conversion contract that an answer breaks, in words that follow "its
// answer": "has kind X; a conversion may not change the kind". The zero value means that the answer
// keeps every rule.
type Breach string

// Breachf formats a Breach.
func Breachf(format string, args ...any) Breach { return Breach(fmt.Sprintf(format, args...)) }

// wrong reports that an answer has something where it cannot have the declared parts.
func (s *splicer) wrong(q *Part) {
	want := "an object"
	if !q.field.hasMembers() {
		want = "an array"
	}
	s.broken = Breachf("has %s that is %v, not %s: the module declares only parts of it", placeOf(s.answer, q), kindAt(s.answer, q.start), want)
}

// count reports that an answer has another number of elements than the document.
func (s *splicer) count(o, have int32) {
	p := &s.old[o]
	s.broken = Breachf("has %d elements in %s, where the object has %d: only parts of them are declared, so that none can be added or removed",
		have, placeOf(s.doc, p), p.count)
}

func (s *splicer) kind(o int32) rawjson.Kind { return kindAt(s.doc, s.old[o].start) }

func kindAt(doc []byte, i int32) rawjson.Kind {
	var s rawjson.Scanner
	s.Reset(doc[i:], 0)
	return s.Peek()
}
