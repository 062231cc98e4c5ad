package bench

import (
	"flag"
	"fmt"
	"os"
	goruntime "runtime"
	"testing"
	"time"
)

// TestMain runs the tests, or is the client of BenchmarkSplit's servers. The lines it prints first
// are configuration to benchstat and to report.
func TestMain(m *testing.M) {
	if what := os.Getenv(askVariable); what != "" {
		if err := askServer(what); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if pattern := flag.Lookup("test.bench"); pattern != nil && pattern.Value.String() != "" {
		fmt.Printf("go: %s\ncores: %d\ndate: %s\nrounds: %d\n", goruntime.Version(), goruntime.NumCPU(), time.Now().UTC().Format(time.DateOnly), *rounds)
	}
	os.Exit(m.Run())
}

// BenchmarkReview measures whole reviews in this process: a body in, an answer out, no network. All
// systems take turns; each then reports its medians under its own name, so that a line is a system
// with a workload:
//
//	cpu-µs/object   user and system time, the collector's included
//	x-B1            B1's time in the same round divided by this one
//	allocs/review, B/review, and body-B, the bytes of the request's body
//
// Its own iterations mean nothing: run it with -benchtime 1x.
func BenchmarkReview(b *testing.B) {
	all := append(systems(b), adapted(b))
	for _, w := range workloads() {
		var results []result
		b.Run(w.String(), func(b *testing.B) {
			body, err := w.review()
			if err != nil {
				b.Fatal(err)
			}
			if results == nil { // the harness may call again
				agree(b, all, body, w.batch)
				results = alternate(b, all, body)
			}
			for _, r := range results {
				b.Run("system="+r.system, func(b *testing.B) { r.report(b, w.batch, len(body)) })
			}
		})
	}
}

func (r result) report(b *testing.B, objects, body int) {
	b.ReportMetric(0, "ns/op") // left out of the line
	b.ReportMetric(float64(r.cpu)/1e3/float64(objects), "cpu-µs/object")
	b.ReportMetric(r.ratio, "x-B1")
	b.ReportMetric(r.allocs, "allocs/review")
	b.ReportMetric(r.bytes, "B/review")
	b.ReportMetric(float64(body), "body-B")
}
