package rawjson_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// events walks a document by the pull API and notes the place of each key and each value, and the
// content of keys and strings.
func events(s *rawjson.Scanner, doc []byte) []string {
	var seen []string
	var visit func()
	visit = func() {
		kind := s.Peek()
		if kind == rawjson.Invalid {
			return
		}
		start := s.Offset()
		switch kind {
		case rawjson.Object:
			seen = append(seen, fmt.Sprintf("%d {", start))
			s.Object()
			for m, ok := s.Member(); ok; m, ok = s.Member() {
				seen = append(seen, fmt.Sprintf("%d key %s", m.Start, m.Key))
				visit()
			}
			seen = append(seen, fmt.Sprintf("%d }", s.Offset()))
		case rawjson.Array:
			seen = append(seen, fmt.Sprintf("%d [", start))
			s.Array()
			for s.Element() {
				visit()
			}
			seen = append(seen, fmt.Sprintf("%d ]", s.Offset()))
		case rawjson.String:
			raw, text := s.String()
			seen = append(seen, fmt.Sprintf("%d-%d string %s", raw.Start, raw.End, text))
		default:
			span := s.Skip()
			seen = append(seen, fmt.Sprintf("%d-%d %v %s", span.Start, span.End, kind, span.Of(doc)))
		}
	}
	s.Reset(doc, 0)
	visit()
	s.End()
	return seen
}

func TestPull(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		want      []string
	}{
		{"number", ` -1.5e3 `, []string{"1-7 a number -1.5e3"}},
		{"literals", `[true,false,null]`, []string{"0 [", "1-5 a boolean true", "6-11 a boolean false", "12-16 null null", "17 ]"}},
		{"empty containers", `[{}, [ ]]`, []string{"0 [", "1 {", "3 }", "5 [", "8 ]", "9 ]"}},
		{
			"object", `{"a": "x", "b" :{"c":[1]} }`,
			[]string{"0 {", "1 key a", "6-9 string x", "11 key b", "16 {", "17 key c", "21 [", "22-23 a number 1", "24 ]", "25 }", "27 }"},
		},
		{"escaped", `{"\u0061\n":"\ud83d\ude00\\"}`, []string{"0 {", "1 key a\n", "12-28 string 😀\\", "29 }"}},
		{"escapes of one letter", `"\"\\\/\b\f\n\r\t"`, []string{"0-18 string \"\\/\b\f\n\r\t"}},
		{"cut", `[1,"x`, []string{"0 [", "1-2 a number 1", "0-0 string ", "3 ]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s rawjson.Scanner
			if got := events(&s, []byte(c.doc)); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestSpans checks that spans are exact in every document: each is valid alone, and begins and ends
// without space.
func TestSpans(t *testing.T) {
	var s, alone rawjson.Scanner
	for _, d := range documents(t) {
		s.Reset(d.doc, 0)
		values := 0
		var visit func()
		visit = func() {
			kind := s.Peek()
			start := s.Offset()
			if kind == rawjson.Object {
				for s.Object(); ; {
					m, ok := s.Member()
					if !ok {
						break
					}
					if d.doc[m.Start] != '"' {
						t.Errorf("%s: no key begins at byte %d", d.name, m.Start)
					}
					visit()
				}
			} else if kind == rawjson.Array {
				for s.Array(); s.Element(); {
					visit()
				}
			} else {
				s.Skip()
			}
			values++
			span := rawjson.Span{Start: start, End: s.Offset()}
			alone.Reset(span.Of(d.doc), 0)
			if got := alone.Skip(); got != (rawjson.Span{Start: 0, End: span.End - span.Start}) || !alone.End() {
				t.Errorf("%s: bytes %d to %d are no value: %v", d.name, span.Start, span.End, alone.Err())
			}
		}
		if visit(); !s.End() {
			t.Errorf("%s: %v", d.name, s.Err())
		}
		if values < 5 {
			t.Errorf("%s: only %d values", d.name, values)
		}
	}
}

// TestSkipWhatIsNotRead: values that the caller passes over are checked like all others.
func TestSkipWhatIsNotRead(t *testing.T) {
	keys := func(doc string) (names []string, err error) {
		var s rawjson.Scanner
		s.Reset([]byte(doc), 0)
		s.Object()
		for m, ok := s.Member(); ok; m, ok = s.Member() {
			names = append(names, string(m.Key))
		}
		s.End()
		return names, s.Err()
	}
	names, err := keys(`{"a":{"x":[1,2]},"b":"}","c":null}`)
	if want := []string{"a", "b", "c"}; !slices.Equal(names, want) || err != nil {
		t.Errorf("got %q, %v; want %q", names, err, want)
	}
	if _, err := keys(`{"a":{"x":1,"x":2},"b":1}`); text(err) != `duplicate key "x" at byte 12` {
		t.Errorf("got %v", err)
	}
	var s rawjson.Scanner
	s.Reset([]byte(` [{"x":1e999}]`), 0)
	if s.End() || text(s.Err()) != "number 1e999 is neither an int64 nor a finite float64 at byte 7" {
		t.Errorf("End: %v", s.Err())
	}
}

// TestExpectations: reading an absent value is an error with a message, and the first error stays.
func TestExpectations(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		read      func(s *rawjson.Scanner)
		want      string
	}{
		{"object", `[]`, func(s *rawjson.Scanner) { s.Object() }, "expected an object, found an array at byte 0"},
		{"array", ` "x"`, func(s *rawjson.Scanner) { s.Array() }, "expected an array, found a string at byte 1"},
		{"string", `null`, func(s *rawjson.Scanner) { s.String() }, "expected a string, found null at byte 0"},
		{"string at end", ``, func(s *rawjson.Scanner) { s.String() }, "unexpected end of JSON at byte 0"},
		{"second value", `1`, func(s *rawjson.Scanner) { s.Skip(); s.Object() }, "expected an object where no value is next at byte 1"},
		{"key as value", `{"a":1}`, func(s *rawjson.Scanner) { s.Object(); s.String() }, "expected a string where no value is next at byte 1"},
		{"member of nothing", `1`, func(s *rawjson.Scanner) { s.Member() }, "member expected outside an object at byte 1"},
		{"member of array", `[1]`, func(s *rawjson.Scanner) { s.Array(); s.Member() }, "member expected outside an object at byte 1"},
		{"element of object", `{"a":1}`, func(s *rawjson.Scanner) { s.Object(); s.Element() }, "element expected outside an array at byte 1"},
		{"end inside", `{"a":1}`, func(s *rawjson.Scanner) { s.Object(); s.End() }, "the document goes on, a container is open at byte 1"},
		{"peek at garbage", `?`, func(s *rawjson.Scanner) { s.Peek() }, "expected a value, found '?' at byte 0"},
		{"first error stays", `{"a":?}`, func(s *rawjson.Scanner) { s.Skip(); s.Object(); s.End() }, "expected a value, found '?' at byte 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s rawjson.Scanner
			s.Reset([]byte(c.doc), 0)
			c.read(&s)
			var syntax *rawjson.SyntaxError
			if err := s.Err(); !errors.As(err, &syntax) || err.Error() != c.want {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			raw, txt := s.String()
			_, member := s.Member()
			if s.Peek() != rawjson.Invalid || s.Object() || s.Array() || s.Element() || s.End() || member ||
				s.Skip() != (rawjson.Span{}) || raw != (rawjson.Span{}) || txt != nil {
				t.Error("a call after the error returned something")
			}
			if text(s.Err()) != c.want {
				t.Errorf("the error became %v", s.Err())
			}
			if s.Reset([]byte(`{}`), 0); !s.End() {
				t.Errorf("after Reset: %v", s.Err())
			}
		})
	}
}

func TestPastTheLastValue(t *testing.T) {
	var s rawjson.Scanner
	s.Reset([]byte(`[1]`), 0)
	s.Array()
	for s.Element() {
		s.Skip()
	}
	if kind := s.Peek(); kind != rawjson.Invalid || s.Skip() != (rawjson.Span{}) || s.Err() != nil || !s.End() {
		t.Errorf("got %v, %v", kind, s.Err())
	}
}

func TestMaxDepth(t *testing.T) {
	for _, c := range []struct {
		doc  string
		max  int
		want string
	}{
		{`1`, 1, ""},
		{`[1]`, 1, ""},
		{`[[1]]`, 1, "nested deeper than 1 levels at byte 1"},
		{`{"a":{"b":[]}}`, 3, ""},
		{`{"a":{"b":[]}}`, 2, "nested deeper than 2 levels at byte 10"},
		{strings.Repeat("[", 5000) + strings.Repeat("]", 5000), 5000, ""},
	} {
		var s rawjson.Scanner
		s.Reset([]byte(c.doc), c.max)
		if s.End(); text(s.Err()) != c.want {
			t.Errorf("%.20s to depth %d: got %v, want %q", c.doc, c.max, s.Err(), c.want)
		}
	}
}

// TestAliasing: text without escapes is the document's own, other text is not.
func TestAliasing(t *testing.T) {
	doc := []byte(`{"plain":"text","\u0065":"\u0065"}`)
	var s rawjson.Scanner
	s.Reset(doc, 0)
	s.Object()
	m, _ := s.Member()
	_, text := s.String()
	if &m.Key[0] != &doc[2] || &text[0] != &doc[10] {
		t.Error("plain text was copied")
	}
	m, _ = s.Member()
	if string(m.Key) != "e" {
		t.Errorf("key %q", m.Key)
	}
	if _, text = s.String(); string(text) != "e" {
		t.Errorf("text %q", text)
	}
	if string(doc) != `{"plain":"text","\u0065":"\u0065"}` {
		t.Error("the document was changed")
	}
}

// TestLimitMembers counts the members that are open at one place, at any depth.
func TestLimitMembers(t *testing.T) {
	var s rawjson.Scanner
	s.LimitMembers(3)
	for doc, want := range map[string]string{
		`{"a":1,"b":2,"c":3}`:                             "<nil>",
		`{"a":1,"b":2,"c":3,"d":4}`:                       "more than 3 members of objects within each other at byte 19",
		`{"a":{"b":{"c":1}}}`:                             "<nil>",
		`{"a":{"b":{"c":{"d":1}}}}`:                       "more than 3 members of objects within each other at byte 16",
		`[{"a":{"b":1,"c":2},"d":{"e":1}}]`:               "<nil>",
		`[{"a":{"b":1,"c":2},"d":{"e":1},"f":1},{"g":1}]`: "<nil>",
		`{"a":{"b":1,"c":2},"d":{"e":1,"f":1}}`:           "more than 3 members of objects within each other at byte 30",
	} {
		if got := fmt.Sprint(check(&s, []byte(doc))); got != want {
			t.Errorf("%s: %s, want %s", doc, got, want)
		}
	}
	s.LimitMembers(0)
	if err := check(&s, []byte(`{"a":1,"b":2,"c":3,"d":4}`)); err != nil {
		t.Error(err)
	}
}
