package bench

import (
	"flag"
	goruntime "runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// rounds is the number of turns of every system. The benchmarks print medians.
var rounds = flag.Int("rounds", 5, "turns of every system in a benchmark")

// turn is how long a system works in its turn, at least one review: long enough for some
// collections of garbage, and for the kernel's clock of a process, which is coarse while other
// threads run.
const turn = 60 * time.Millisecond

// result is the cost of a review for a system: the medians of its turns.
type result struct {
	system string
	cpu    time.Duration // of one review: user and system time of the whole process
	allocs float64       // of one review
	bytes  float64       // allocated, of one review
	ratio  float64       // of the first system's CPU time to this one's, in the same round
}

// sample is one turn, by review.
type sample struct{ cpu, allocs, bytes float64 }

// alternate measures every system once in each of several rounds, one after another, so that other
// load on the machine affects all of them. The first system is the reference for the others.
func alternate(tb testing.TB, all []system, body []byte) []result {
	tb.Helper()
	samples := make([][]sample, len(all)) // by system and round
	reviews := make([]int, len(all))
	for i, s := range all {
		reviews[i] = reviewsInTurn(tb, s, body)
	}
	for range *rounds {
		for i, s := range all {
			samples[i] = append(samples[i], measure(tb, s, body, reviews[i]))
		}
	}
	results := make([]result, len(all))
	for i, s := range all {
		of := func(cost func(sample) float64) float64 { return median(samples[i], cost) }
		var ratios []float64
		for round, one := range samples[i] {
			ratios = append(ratios, samples[0][round].cpu/one.cpu)
		}
		results[i] = result{
			system: s.name, cpu: time.Duration(of(func(s sample) float64 { return s.cpu })),
			allocs: of(func(s sample) float64 { return s.allocs }), bytes: of(func(s sample) float64 { return s.bytes }),
			ratio: median(ratios, func(r float64) float64 { return r }),
		}
	}
	return results
}

// reviewsInTurn warms a system up and finds out how many reviews fill a turn.
func reviewsInTurn(tb testing.TB, s system, body []byte) int {
	tb.Helper()
	began, n := time.Now(), 0
	for ; time.Since(began) < turn; n++ {
		if _, err := s.review(body); err != nil {
			tb.Fatalf("%s: %v", s.name, err)
		}
	}
	return n
}

func measure(tb testing.TB, s system, body []byte, reviews int) sample {
	tb.Helper()
	goruntime.GC() // the garbage of the system before is not this one's
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	cpu := processTime(tb)
	for range reviews {
		if _, err := s.review(body); err != nil {
			tb.Fatalf("%s: %v", s.name, err)
		}
	}
	cpu = processTime(tb) - cpu
	goruntime.ReadMemStats(&after)
	n := float64(reviews)
	return sample{
		cpu:    float64(cpu) / n,
		allocs: float64(after.Mallocs-before.Mallocs) / n, bytes: float64(after.TotalAlloc-before.TotalAlloc) / n,
	}
}

// processTime is the user and system time of this process, including the garbage collector's on
// other threads.
func processTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// median returns the middle one of the values of a list that is not empty.
func median[T any](list []T, value func(T) float64) float64 {
	values := make([]float64, len(list))
	for i, item := range list {
		values[i] = value(item)
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2
	}
	return values[middle]
}
