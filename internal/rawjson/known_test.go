package rawjson_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// record passes a document and returns the containers in it; nil if it is not valid.
func record(s *rawjson.Scanner, doc []byte) []rawjson.Known {
	s.Reset(doc, 0)
	s.Record(nil, 1000)
	s.Skip()
	if !s.End() {
		return nil
	}
	return s.Recorded()
}

// compare passes a document while it is compared with another, and returns the
// containers in it and the error.
func compare(s *rawjson.Scanner, doc, other []byte, list []rawjson.Known) ([]rawjson.Known, error) {
	s.Reset(doc, 0)
	s.Record(nil, 1000)
	s.Compare(other, list)
	s.Skip()
	s.End()
	return s.Recorded(), s.Err()
}

// sameVerdict compares a document with another and holds the verdict, and the containers recorded,
// against those of a Scanner that reads every byte.
func sameVerdict(t *testing.T, s *rawjson.Scanner, doc, other []byte) {
	t.Helper()
	list := record(s, other)
	if list == nil {
		return
	}
	want := check(s, doc)
	found, got := compare(s, doc, other, list)
	if text(got) != text(want) {
		t.Fatalf("compared: %v; read: %v: %.300q and %.300q", got, want, doc, other)
	}
	if want != nil {
		return
	}
	// The containers that were found by comparison are as good as those that were read.
	if _, got := compare(s, other, doc, found); got != nil {
		t.Fatalf("compared in turn: %v: %.300q and %.300q", got, other, doc)
	}
}

// large is a container that is large enough to be recorded.
const large = `{"aaaaaaaaaaaaaaaaaaaa":"bbbbbbbbbbbbbbbbbbbb bbbbbbbbbbbbbbbbbbbb bbbbbbbbbbbbbbbbbbbb","cccccccccccccccccccc":["dddddddddddddddddddd"]}`

// TestCompareSkipsEqualContainers shows which containers are not read again: those that are made
// invalid in both documents pass.
func TestCompareSkipsEqualContainers(t *testing.T) {
	other := strings.Replace(large, "bb", "xx", 1)
	for _, c := range []struct {
		name, before, now string
		passes            bool
	}{
		{"same place", `[1,` + large + `]`, `[2,` + large + `]`, true},
		{"other place", `{"a":1,"b":` + large + `}`, `{"bbb": ` + large + `,"a":2}`, true},
		{"less deep", `[[` + large + `]]`, `[` + large + `]`, true},
		{"after one that changed", `[` + other + `,` + large + `]`, `[{"y":1},` + large + `]`, true},
		{"twice", `[` + large + `]`, `[` + large + `,` + large + `]`, false},
		{"longer", `[` + large + `]`, `[` + strings.TrimSuffix(large, "}") + `,"e":1}]`, false},
		{"only the ends are equal", `[` + large + `]`, `[` + other + `]`, false},
		{"too deep in the value", `[[[` + large + `]]]`, `[1,` + large + `]`, false},
		{"after too many left out", `[` + strings.Repeat(other+`,`, 4) + large + `]`, `[` + large + `]`, false},
	} {
		var s rawjson.Scanner
		before, now := []byte(c.before), []byte(c.now)
		list := record(&s, before)
		if list == nil || check(&s, now) != nil {
			t.Fatalf("%s: the documents are not valid", c.name)
		}
		spoil := func(doc []byte) []byte { return bytes.ReplaceAll(doc, []byte(`d"]`), []byte(`d"}`)) }
		if _, err := compare(&s, spoil(now), spoil(before), list); (err == nil) != c.passes {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestCompareKeepsDepth: a container that was valid in a document is too deep in another.
func TestCompareKeepsDepth(t *testing.T) {
	var s rawjson.Scanner
	doc := []byte(`[` + large + `]`)
	s.Reset(doc, 3)
	s.Record(nil, 100)
	s.Skip()
	list := s.Recorded()
	if !s.End() || len(list) != 2 {
		t.Fatal(s.Err(), list)
	}
	deeper := []byte(`[1,[` + large + `]]`)
	for _, c := range []struct {
		levels int
		want   string
	}{{4, ""}, {3, "nested deeper than 3 levels at byte 116"}} {
		s.Reset(deeper, c.levels)
		s.Compare(doc, list)
		s.Skip()
		s.End()
		if got := text(s.Err()); got != c.want {
			t.Errorf("%d levels: got %q, want %q", c.levels, got, c.want)
		}
	}
}

// TestCompareKeepsMembers: a container that was valid in a document has too many members in
// another, by the limit for objects within each other.
func TestCompareKeepsMembers(t *testing.T) {
	var s rawjson.Scanner
	doc := []byte(`[` + large + `]`)
	for around := range 3 {
		s.LimitMembers(3)
		s.Reset(doc, 0)
		s.Record(nil, 100)
		s.Skip()
		list := s.Recorded()
		if !s.End() {
			t.Fatal(s.Err())
		}
		now := []byte(`{` + strings.Repeat(" ", 8) + `"x":` + large + `}`)
		for i := range around {
			now = append(now[:1], fmt.Sprintf(`"%d":%d,`, i, i)+string(now[1:])...)
		}
		s.Reset(now, 0)
		s.Skip()
		s.End()
		want := text(s.Err())
		s.Reset(now, 0)
		s.Compare(doc, list)
		s.Skip()
		s.End()
		if got := text(s.Err()); got != want {
			t.Errorf("%d members around: got %q, want %q", around, got, want)
		}
	}
}

// TestRecordEnds: the list never has more than the most containers that the caller wants, whether
// they are read or compared.
func TestRecordEnds(t *testing.T) {
	var s rawjson.Scanner
	doc := []byte(`[` + strings.Repeat(large+",", 20) + `1]`)
	list := record(&s, doc)
	for _, compared := range [][]rawjson.Known{nil, list} {
		s.Reset(doc, 0)
		s.Record(nil, 7)
		s.Compare(doc, compared)
		s.Skip()
		if got := len(s.Recorded()); !s.End() || got != 7 || len(list) != 21 {
			t.Errorf("%d containers of %d, %v", got, len(list), s.Err())
		}
	}
}

// TestSkipEqual: a value with the bytes of a known one is passed, and any other stays where it is.
func TestSkipEqual(t *testing.T) {
	for _, c := range []struct {
		doc, known string
		want       rawjson.Span
	}{
		{`[ {"a":1} ,2]`, `{"a":1}`, rawjson.Span{Start: 2, End: 9}},
		{`[{"a":1,"b":2}]`, `{"a":1}`, rawjson.Span{}},
		{`[{"a":1`, `{"a":1}`, rawjson.Span{}},
	} {
		var s rawjson.Scanner
		s.Reset([]byte(c.doc), 0)
		s.Array()
		s.Element()
		if got := s.SkipEqual([]byte(c.known)); got != c.want {
			t.Errorf("%s: got %v, want %v", c.doc, got, c.want)
		}
		for c.want != (rawjson.Span{}) && s.Element() {
		}
		if c.want != (rawjson.Span{}) && !s.End() {
			t.Errorf("%s: %v", c.doc, s.Err())
		}
	}
}

// TestCompareMutants holds the verdicts on spoilt documents, compared with the document that they
// were made from, against those of a Scanner that reads every byte.
func TestCompareMutants(t *testing.T) {
	all := documents(t)
	random := rand.New(rand.NewPCG(20261122, 17))
	var s rawjson.Scanner
	var scratch []byte
	for range 50_000 {
		d := all[random.IntN(len(all))].doc
		scratch = mutate(random, d, scratch)
		sameVerdict(t, &s, scratch, d)
		sameVerdict(t, &s, []byte(`{"a":[`+string(d)+`,`+string(scratch)+`]}`), d)
	}
}

// FuzzCompare holds the verdict on a document that is compared with another against that of a
// Scanner that reads every byte.
func FuzzCompare(f *testing.F) {
	for _, d := range documents(f) {
		f.Add(d.doc, d.doc)
		f.Add([]byte(`[`+string(d.doc)+`,`+string(d.doc)+`]`), d.doc)
	}
	f.Add([]byte(`[1,`+large+`]`), []byte(`[`+large+`]`))
	var s rawjson.Scanner // carried from document to document, as it is used
	f.Fuzz(func(t *testing.T, doc, other []byte) { sameVerdict(t, &s, doc, other) })
}
