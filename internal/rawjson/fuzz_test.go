package rawjson_test

import (
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// FuzzScanner gives the Scanner any bytes with any depth, and reads them in three ways that must
// agree: skipping the whole document, visiting each value, and a mixture of both that mode's bits
// select.
func FuzzScanner(f *testing.F) {
	for _, c := range cases() {
		if len(c.doc) < 5000 {
			f.Add([]byte(c.doc), 0, uint64(0x5555555555555555))
		}
	}
	for i, d := range documents(f) {
		f.Add(d.doc, i, uint64(0x123456789abcdef))
	}
	var s rawjson.Scanner // carried from document to document, as it is used
	f.Fuzz(func(t *testing.T, doc []byte, maxDepth int, mode uint64) {
		s.Reset(doc, maxDepth)
		span := s.Skip()
		s.End()
		want := text(s.Err())
		if want == "" && (span.Start < 0 || span.End > len(doc) || span.Start >= span.End) {
			t.Errorf("span %v of %d bytes", span, len(doc))
		}
		s.Reset(doc, maxDepth)
		if walk(&s); text(endOf(&s)) != want {
			t.Errorf("visited: %v; skipped: %s", s.Err(), want)
		}
		s.Reset(doc, maxDepth)
		if mixed(&s, &mode); text(endOf(&s)) != want {
			t.Errorf("visited in part: %v; skipped: %s", s.Err(), want)
		}
		if want == "" && !rawjson.Equal(doc, append([]byte(" "), doc...)) && maxDepth <= rawjson.DefaultDepth {
			t.Error("not equal to itself")
		}
	})
}

func endOf(s *rawjson.Scanner) error {
	s.End()
	return s.Err()
}

// mixed reads a value: two bits of mode decide whether it visits the value, skips it, or leaves it
// to the next call.
func mixed(s *rawjson.Scanner, mode *uint64) {
	choice := *mode & 3
	*mode = *mode>>2 | *mode<<62
	kind := s.Peek()
	switch {
	case choice == 0:
		s.Skip()
	case choice == 1:
	case kind == rawjson.Object:
		s.Object()
		for _, ok := s.Member(); ok; _, ok = s.Member() {
			mixed(s, mode)
		}
	case kind == rawjson.Array:
		for s.Array(); s.Element(); {
			mixed(s, mode)
		}
	default:
		s.Skip()
	}
}
