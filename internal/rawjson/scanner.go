// Package rawjson reads JSON strictly and in place: it finds where values begin and end, returns
// keys and strings, and leaves every byte where it is. It decodes nothing into trees and never
// converts a number.
//
// Strict means: the grammar of RFC 8259, valid UTF-8, no lone surrogates, no raw control
// characters, no byte order mark, no duplicate key in an object (compared after unescaping, in
// every object at every level), a bounded depth, and only numbers that an int64 or a finite float64
// can hold, integers without losing a digit. The purpose is that every JSON reader reads an
// accepted document alike.
package rawjson

import "slices"

// DefaultDepth is the nesting limit when Reset gets none: a tenth of the depth that API servers
// accept (10,000), and far more than any schema of a custom resource can describe.
const DefaultDepth = 1000

// Span is a half-open range of bytes of the document, from Start up to but not including End.
type Span struct{ Start, End int }

// Of returns the bytes of the span. They alias doc.
func (s Span) Of(doc []byte) []byte { return doc[s.Start:s.End] }

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of values. Invalid means that there is no value.
const (
	Invalid Kind = iota
	Object
	Array
	String
	Number
	Bool
	Null
)

// String returns the kind with its article, as the messages use it: "an object".
func (k Kind) String() string {
	return [...]string{"nothing", "an object", "an array", "a string", "a number", "a boolean", "null"}[k]
}

// Member is the name of one member of an object; its value is what the Scanner reads next.
type Member struct {
	// Key is the name, unescaped. It aliases the document if the name has no escapes, and is else
	// valid until the next call.
	Key []byte
	// Start is the offset of the name's opening quote.
	Start int
}

// Scanner walks over one document, value by value, and checks every byte it passes.
//
//	var s rawjson.Scanner
//	s.Reset(doc, 0)
//	if s.Object() {
//		for m, ok := s.Member(); ok; m, ok = s.Member() {
//			if string(m.Key) == "metadata" {
//				metadata = s.Skip()
//			}
//		}
//	}
//	s.End()
//	if err := s.Err(); err != nil { … }
//
// The Member, Element or End that follows skips a value that the caller does not read, with all its
// checks. Only bytes that were passed are checked: a document is valid only when End has returned
// true.
//
// The zero value is usable after Reset. A Scanner may be reused, and does not allocate once its
// buffers have grown to the size of the documents. It references the last document until the next
// Reset; Reset(nil, 0) releases it. It must not be used by two goroutines at once.
//
// # Errors
//
// The first error stays: after it every call returns zero values, and Err returns it.
type Scanner struct {
	containers        // around pos
	pos        int    // of the next byte to read
	ready      bool   // a value is next, and was not read yet
	text       []byte // the text that String unescaped last
}

// Reset starts at the beginning of doc, which must not change while the Scanner reads it. maxDepth
// is how deep containers may be nested, the outermost counting as 1; 0 means DefaultDepth.
func (s *Scanner) Reset(doc []byte, maxDepth int) {
	if maxDepth <= 0 {
		maxDepth = DefaultDepth
	}
	s.doc = slices.Clip(doc) // so that bytes after it are never read, see signature
	s.pos, s.maxDepth, s.ready, s.err = 0, maxDepth, true, nil
	s.frames = shrink(s.frames, 4*DefaultDepth)
	s.text = shrink(s.text, keepText)
	s.keys.reset()
	if k := &s.known; k.most > 0 || k.list != nil {
		*k = known{}
	}
}

// Err returns the first error, a *SyntaxError, or nil if there was none so far.
func (s *Scanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// Offset returns how many bytes were read so far.
func (s *Scanner) Offset() int { return s.pos }

// Peek returns the kind of the next value and does not move. It returns Invalid after an error, and
// where there is no next value: past the last value of a container or of the document. Any other
// byte that cannot begin a value is an error.
func (s *Scanner) Peek() Kind {
	if !s.begin() {
		return Invalid
	}
	return kinds[s.doc[s.pos]]
}

// Object enters the object that is next. It returns false, with an error, if something else is
// next.
func (s *Scanner) Object() bool { return s.enter(Object) }

// Array enters the array that is next. It returns false, with an error, if something else is next.
func (s *Scanner) Array() bool { return s.enter(Array) }

// Member goes to the next member of the object entered last. It returns false at the end of the
// object, which is left by it, and on an error.
func (s *Scanner) Member() (m Member, ok bool) {
	if !s.inside('}') {
		return Member{}, false
	}
	start, more := s.separate(s.pos)
	if !more {
		s.leave(start)
		return Member{}, false
	}
	pos := s.key(start)
	if pos < 0 {
		return Member{}, false
	}
	s.pos, s.ready = pos, true
	return Member{Key: s.keys.last(s.doc), Start: start}, true
}

// Element goes to the next element of the array entered last. It returns false at the end of the
// array, which is left by it, and on an error.
func (s *Scanner) Element() bool {
	if !s.inside(']') {
		return false
	}
	pos, more := s.separate(s.pos)
	if !more {
		s.leave(pos)
		return false
	}
	s.pos, s.ready = pos, true
	return true
}

// Skip checks the next value whole and returns where it is. It does not recurse.
func (s *Scanner) Skip() Span {
	if !s.begin() {
		return Span{}
	}
	start := s.pos
	end := s.skip(start)
	if end < 0 {
		return Span{}
	}
	s.pos, s.ready = end, false
	return Span{start, end}
}

// String reads the string that is next. It returns its place, quotes included, and its content,
// unescaped: the text aliases the document if the string has no escapes, and is otherwise valid
// until the next call. Any other value is an error.
func (s *Scanner) String() (raw Span, text []byte) {
	if !s.expect(String) {
		return Span{}, nil
	}
	start := s.pos
	end, escaped := s.str(start)
	if end < 0 {
		return Span{}, nil
	}
	s.pos, s.ready = end, false
	text = s.doc[start+1 : end-1 : end-1]
	if escaped {
		s.text = unescape(s.text[:0], text)
		text = s.text
	}
	return Span{start, end}, text
}

// End checks that the document's value is complete and that only white space follows it. It returns
// false on an error.
func (s *Scanner) End() bool {
	if s.err == nil && s.ready {
		s.Skip()
	}
	if s.err != nil {
		return false
	}
	if len(s.frames) > 0 {
		s.fail(s.pos, "the document goes on, a container is open")
		return false
	}
	if s.pos = space(s.doc, s.pos); s.pos < len(s.doc) {
		s.fail(s.pos, "data after the end of the document")
		return false
	}
	return true
}

// begin moves to the first byte of the next value. It returns false if no value is next, with an
// error unless that is in order.
func (s *Scanner) begin() bool {
	if s.err != nil || !s.ready {
		return false
	}
	s.pos = space(s.doc, s.pos)
	if s.pos >= len(s.doc) {
		s.failEnd()
		return false
	}
	if kinds[s.doc[s.pos]] == Invalid {
		s.failValue(s.pos)
		return false
	}
	return true
}

// enter goes into the next value, a container of the kind.
func (s *Scanner) enter(want Kind) bool {
	if !s.expect(want) || !s.push(s.pos) {
		return false
	}
	s.pos, s.ready = s.pos+1, false
	return true
}

// inside prepares for the next member or element: it skips a value that was not read, and checks
// that the container entered last is one that the bracket closes.
func (s *Scanner) inside(closing byte) bool {
	if s.err == nil && s.ready {
		s.Skip()
	}
	if s.err != nil {
		return false
	}
	if top := len(s.frames) - 1; top < 0 || s.frames[top].closing != closing {
		if closing == '}' {
			s.fail(s.pos, "member expected outside an object")
		} else {
			s.fail(s.pos, "element expected outside an array")
		}
		return false
	}
	return true
}

// leave moves behind a container that ends at a position; -1 after an error.
func (s *Scanner) leave(end int) {
	if end >= 0 {
		s.pos = end
	}
}

// expect is begin for a value that must be of the kind.
func (s *Scanner) expect(want Kind) bool {
	if !s.begin() {
		if s.err == nil {
			s.fail(s.pos, "expected "+want.String()+" where no value is next")
		}
		return false
	}
	if got := kinds[s.doc[s.pos]]; got != want {
		s.fail(s.pos, "expected "+want.String()+", found "+got.String())
		return false
	}
	return true
}
