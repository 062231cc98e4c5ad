package rawjson_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// check is the strict pass: the whole document, with everything it checks.
func check(s *rawjson.Scanner, doc []byte) error {
	s.Reset(doc, 0)
	s.Skip()
	s.End()
	return s.Err()
}

// walk visits a document through the pull API, value by value.
func walk(s *rawjson.Scanner) {
	switch s.Peek() {
	case rawjson.Object:
		s.Object()
		for _, ok := s.Member(); ok; _, ok = s.Member() {
			walk(s)
		}
	case rawjson.Array:
		s.Array()
		for s.Element() {
			walk(s)
		}
	case rawjson.String:
		s.String()
	default:
		s.Skip()
	}
}

func BenchmarkSkip(b *testing.B) {
	var s rawjson.Scanner
	for _, d := range documents(b) {
		b.Run(d.name, func(b *testing.B) {
			b.SetBytes(int64(len(d.doc)))
			b.ReportAllocs()
			for b.Loop() {
				if err := check(&s, d.doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPull(b *testing.B) {
	var s rawjson.Scanner
	for _, d := range documents(b) {
		b.Run(d.name, func(b *testing.B) {
			b.SetBytes(int64(len(d.doc)))
			b.ReportAllocs()
			for b.Loop() {
				s.Reset(d.doc, 0)
				if walk(&s); !s.End() {
					b.Fatal(s.Err())
				}
			}
		})
	}
}

// BenchmarkRatio runs the scanner and encoding/json by turns over the same document, and reports
// how many times longer encoding/json takes: to validate (valid/own; it neither checks UTF-8 nor
// looks for duplicate keys), and to decode into a map (map/own).
func BenchmarkRatio(b *testing.B) {
	var s rawjson.Scanner
	for _, d := range documents(b) {
		b.Run(d.name, func(b *testing.B) {
			var own, valid, decode least
			for b.Loop() {
				own.clock(d.doc, func() { _ = check(&s, d.doc) })
				valid.clock(d.doc, func() { _ = json.Valid(d.doc) })
				decode.clock(d.doc, func() {
					var v map[string]any
					_ = json.Unmarshal(d.doc, &v)
				})
			}
			b.ReportMetric(valid.over(own), "valid/own")
			b.ReportMetric(decode.over(own), "map/own")
			b.ReportMetric(float64(len(d.doc))/float64(own)*1e3, "own-MB/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// least returns the shortest time, in nanoseconds, of all runs: the run that other processes
// disturbed least.
type least float64

// clock does it as often as the clock needs to see it: about 20 KB of documents.
func (l *least) clock(doc []byte, f func()) {
	rounds := 1 + 20_000/len(doc)
	start := time.Now()
	for range rounds {
		f()
	}
	if took := least(time.Since(start)) / least(rounds); *l == 0 || took < *l {
		*l = took
	}
}

func (l least) over(other least) float64 { return float64(l / other) }

// BenchmarkKeys shows that the cost of a key hardly depends on the size of its object.
func BenchmarkKeys(b *testing.B) {
	var s rawjson.Scanner
	for _, n := range []int{8, 32, 64, 1000, 30_000, 500_000} {
		var doc strings.Builder
		for i := range n {
			fmt.Fprintf(&doc, `,"key-%d":1`, i)
		}
		object := []byte("{" + doc.String()[1:] + "}")
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if err := check(&s, object); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
		})
	}
}
