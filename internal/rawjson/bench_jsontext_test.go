//go:build goexperiment.jsonv2

package rawjson_test

import (
	"bytes"
	"encoding/json/jsontext"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// BenchmarkJsontext is BenchmarkRatio for the tokenizer of the standard library's experiment, which
// checks UTF-8 and duplicate keys as this package does, but not the range of numbers. Run it with
// GOEXPERIMENT=jsonv2.
func BenchmarkJsontext(b *testing.B) {
	var s rawjson.Scanner
	for _, d := range documents(b) {
		b.Run(d.name, func(b *testing.B) {
			var in bytes.Buffer // of which the decoder makes no copy
			decoder := jsontext.NewDecoder(&in)
			var own, other least
			for b.Loop() {
				own.clock(d.doc, func() { _ = check(&s, d.doc) })
				other.clock(d.doc, func() {
					in = *bytes.NewBuffer(d.doc)
					decoder.Reset(&in)
					if err := decoder.SkipValue(); err != nil {
						b.Fatal(err)
					}
				})
			}
			b.ReportMetric(other.over(own), "jsontext/own")
			b.ReportMetric(0, "ns/op")
		})
	}
}
