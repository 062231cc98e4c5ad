package rawjson_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	kjson "sigs.k8s.io/json"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// decode builds the value that sigs.k8s.io/json decodes a document into. It is nil after an error.
func decode(s *rawjson.Scanner, doc []byte) any {
	switch s.Peek() {
	case rawjson.Object:
		object := map[string]any{}
		s.Object()
		for m, ok := s.Member(); ok; m, ok = s.Member() {
			key := string(m.Key)
			object[key] = decode(s, doc)
		}
		return object
	case rawjson.Array:
		array := []any{}
		for s.Array(); s.Element(); {
			array = append(array, decode(s, doc))
		}
		return array
	case rawjson.String:
		_, text := s.String()
		return string(text)
	case rawjson.Number:
		token := string(s.Skip().Of(doc))
		if n, err := strconv.ParseInt(token, 10, 64); err == nil {
			return n
		}
		n, _ := strconv.ParseFloat(token, 64)
		return n
	case rawjson.Bool:
		return string(s.Skip().Of(doc)) == "true"
	default:
		s.Skip()
		return nil
	}
}

// agree compares one verdict with the other readers:
//
//   - the pull API must reach the same verdict, with the same message;
//   - there must be no error before the place that the error names: the bytes before it are a
//     document, or the beginning of one;
//   - encoding/json must accept every accepted document, and sigs.k8s.io/json must decode it
//     strictly (with no duplicate keys) to the same values;
//   - encoding/json must reject a document that is rejected for its grammar;
//   - sigs.k8s.io/json must reject a document that is rejected for another reason, unless the
//     reason is one of the four in which this package is stricter on purpose: invalid UTF-8, lone
//     surrogates, integers that would lose digits, and depth. The document must show the reason.
//
// It returns the error of the document, or nil. It skips sigs.k8s.io/json where encoding/json
// rejects the document, unless always is set: both have the same grammar.
func agree(t testing.TB, s *rawjson.Scanner, doc []byte, always bool) *rawjson.SyntaxError {
	t.Helper()
	err := check(s, doc)
	if other := pull(s, doc); text(other) != text(err) {
		t.Fatalf("Skip says %v, the pull API %v: %q", err, other, doc)
	}
	valid := json.Valid(doc)
	if err == nil {
		if !valid {
			t.Fatalf("accepted, but encoding/json says it is invalid: %q", doc)
		}
		var want any
		strict, err := kjson.UnmarshalStrict(doc, &want)
		if err != nil || len(strict) > 0 {
			t.Fatalf("accepted, but sigs.k8s.io/json says %v %v: %q", err, strict, doc)
		}
		s.Reset(doc, 0)
		if got := decode(s, doc); !reflect.DeepEqual(got, want) {
			t.Fatalf("decoded to %v, by sigs.k8s.io/json to %v: %q", got, want, doc)
		}
		return nil
	}
	var syntax *rawjson.SyntaxError
	if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(doc) {
		t.Fatalf("error %#v: %q", err, doc)
	}
	if before := check(s, doc[:syntax.Offset]); before != nil && !strings.HasPrefix(before.Error(), "unexpected end of JSON at byte ") {
		t.Fatalf("%v, but before that %v: %q", err, before, doc)
	}
	stricter := strictness(t, syntax, doc)
	if stricter == grammar && valid {
		t.Fatalf("%v, but encoding/json accepts it: %q", err, doc)
	}
	if !valid && !always {
		return syntax
	}
	var v any
	strict, other := kjson.UnmarshalStrict(doc, &v)
	if stricter != onPurpose && other == nil && len(strict) == 0 {
		t.Fatalf("%v, but sigs.k8s.io/json accepts it: %q", err, doc)
	}
	return syntax
}

// How a refusal compares with the other readers.
const (
	grammar   = iota // no reader accepts the document
	shared           // encoding/json may accept it, sigs.k8s.io/json does not
	onPurpose        // both may accept it
)

// strictness classifies the rejection, and checks that the document has the reason for a rejection
// on purpose.
func strictness(t testing.TB, e *rawjson.SyntaxError, doc []byte) int {
	t.Helper()
	at := doc[e.Offset:]
	reason := true
	class := onPurpose
	switch {
	case strings.HasPrefix(e.Msg, "duplicate key "):
		class, reason = shared, at[0] == '"'
	case strings.HasPrefix(e.Msg, "invalid UTF-8"):
		r, n := utf8.DecodeRune(at)
		reason = r == utf8.RuneError && n == 1
	case strings.HasPrefix(e.Msg, "lone surrogate "):
		var decoded string
		err := json.Unmarshal([]byte(`"`+string(at[:6])+`"`), &decoded)
		reason = err == nil && decoded == "\uFFFD" && strings.HasSuffix(e.Msg, string(at[:6]))
	case strings.HasPrefix(e.Msg, "nested deeper than 1000 levels"):
		reason = strings.Count(string(doc[:e.Offset+1]), "[")+strings.Count(string(doc[:e.Offset+1]), "{") > 1000
	case strings.HasSuffix(e.Msg, " is neither an int64 nor a finite float64"), strings.HasSuffix(e.Msg, " has more digits than an int64 or a float64 keeps"):
		n := 0
		for n < len(at) && strings.IndexByte("+-0123456789.eE", at[n]) >= 0 {
			n++
		}
		token := string(at[:n])
		reason = !representable(token)
		if strings.HasSuffix(e.Msg, "float64") {
			class = shared
		}
	default:
		class = grammar
	}
	if !reason {
		t.Fatalf("%v is not so: %q", e, doc)
	}
	return class
}

// TestDifferentialCases compares the readers on all conformance cases and documents.
func TestDifferentialCases(t *testing.T) {
	var s rawjson.Scanner
	for _, c := range cases() {
		agree(t, &s, []byte(c.doc), true)
	}
	for _, d := range documents(t) {
		agree(t, &s, d.doc, true)
	}
}

func FuzzDifferential(f *testing.F) {
	for _, c := range cases() {
		if len(c.doc) < 5000 {
			f.Add([]byte(c.doc))
		}
	}
	for _, d := range documents(f) {
		f.Add(d.doc)
	}
	var s rawjson.Scanner // carried from document to document, as it is used
	f.Fuzz(func(t *testing.T, doc []byte) { agree(t, &s, doc, true) })
}
