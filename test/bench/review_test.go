package bench

import (
	"flag"
	"fmt"
	"os"
	goruntime "runtime"
	"sync"
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

// BenchmarkCores converts one review of 10,000 objects with one core and with two. It compares wall
// time. Other load inflates wall time, so the fastest turn counts: x-one-core is the speedup of two
// cores over one. x-arithmetic is the speedup of two independent goroutines in the same turns: the
// most that the machine could give.
func BenchmarkCores(b *testing.B) {
	if goruntime.NumCPU() < 2 {
		b.Skip("there is only one core")
	}
	w := workload{small, 10000}
	body, err := w.review()
	if err != nil {
		b.Fatal(err)
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	dir, names := languages(b)
	for _, language := range names {
		var best, sums [2]time.Duration // with one core, with two
		b.Run(w.String()+"/system="+language, func(b *testing.B) {
			var one, two system // how many instances work at once is decided when a module is loaded
			goruntime.GOMAXPROCS(1)
			one = ofModule(b, dir, language)
			goruntime.GOMAXPROCS(2)
			two = ofModule(b, dir, language)
			agree(b, []system{one, two}, body, w.batch)
			for range *rounds {
				for i, s := range []system{one, two} {
					goruntime.GOMAXPROCS(i + 1)
					if took := time.Duration(measure(b, s, body, 3).wall); best[i] == 0 || took < best[i] {
						best[i] = took
					}
					if took := arithmetic(); sums[i] == 0 || took < sums[i] {
						sums[i] = took
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(best[0])/1e6, "one-core-ms")
			b.ReportMetric(float64(best[1])/1e6, "two-cores-ms")
			b.ReportMetric(float64(best[0])/float64(best[1]), "x-one-core")
			b.ReportMetric(float64(sums[0])/float64(sums[1]), "x-arithmetic")
		})
	}
}

// arithmetic is how long two goroutines take that calculate and share nothing, some 50 ms of CPU
// each.
func arithmetic() time.Duration {
	began := time.Now()
	var both sync.WaitGroup
	var sums [2]int
	for k := range sums {
		both.Go(func() {
			sum := k
			for i := range 50_000_000 {
				sum += sum*i ^ i
			}
			sums[k] = sum
		})
	}
	both.Wait()
	return time.Since(began)
}
