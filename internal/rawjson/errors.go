package rawjson

import (
	"strconv"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

const (
	// maxQuoted and maxToken are the most bytes of a key and of a number that a message quotes:
	// enough to find the place, short enough for a line of a log and the output of kubectl.
	maxQuoted = 64
	maxToken  = 40
)

// SyntaxError describes an error in a document and its place. Its message may name a key or a
// number; it never quotes the content of a string, so it may be logged.
type SyntaxError struct {
	Offset int    // of the byte, or the first byte of the token, that is wrong
	Msg    string // the error
}

// Error returns the message with its place: "duplicate key \"metadata\" at byte 123".
func (e *SyntaxError) Error() string { return e.Msg + " at byte " + strconv.Itoa(e.Offset) }

// fail keeps the first error. It returns -1, for callers that return a position.
func (s *source) fail(offset int, msg string) int {
	if s.err == nil {
		s.err = &SyntaxError{Offset: offset, Msg: msg}
	}
	return -1
}

// failEnd is fail for a document that stops too early.
func (s *source) failEnd() int { return s.fail(len(s.doc), "unexpected end of JSON") }

// failExpected is fail for an unexpected byte at i.
func (s *source) failExpected(i int, what string) int {
	if i >= len(s.doc) {
		return s.failEnd()
	}
	return s.fail(i, "expected "+what)
}

// failValue is fail for a byte at i that cannot begin a value.
func (s *source) failValue(i int) int {
	switch c := s.doc[i]; {
	case c == 0xEF && i == 0 && len(s.doc) >= 3 && s.doc[1] == 0xBB && s.doc[2] == 0xBF:
		return s.fail(i, "byte order mark (JSON has none)")
	case c > ' ' && c < 0x7F:
		return s.fail(i, "expected a value, found '"+string(rune(c))+"'")
	default:
		return s.fail(i, "expected a value, found "+hexByte(c))
	}
}

// failString is fail for a byte at i that a string may not contain unescaped.
func (s *source) failString(i int) int {
	const hex = "0123456789abcdef"
	c := s.doc[i]
	return s.fail(i, "control character "+hexByte(c)+` in a string (write it as \u00`+string(hex[c>>4])+string(hex[c&15])+")")
}

// failKey is fail for a key at i that its object has already.
func (s *source) failKey(i int, key []byte) int {
	return s.fail(i, "duplicate key "+strconv.Quote(foreign.Shorten(key, maxQuoted)))
}

func hexByte(c byte) string {
	const hex = "0123456789abcdef"
	return "0x" + string(hex[c>>4]) + string(hex[c&15])
}

func (s *source) failSeparator(pos int, object bool) int {
	if object {
		return s.failExpected(pos, "',' or '}' after a member")
	}
	return s.failExpected(pos, "',' or ']' after an element")
}
