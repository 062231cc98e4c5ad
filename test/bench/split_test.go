package bench

import (
	"bytes"
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// splitTime is how long each column is profiled. At the profiler's 100 samples a second a phase of
// 5 % has some forty of them.
const splitTime = 8 * time.Second

// phase is a part of a review's cost. A sample of the profile belongs to the first phase that its
// stack has a function of, from the innermost function outward.
type phase struct {
	name string
	in   []string // files of the project, and beginnings of the names of other functions
}

// background are phases that count only if no other phase has a function of the stack: the Go
// runtime also works for those who call it.
const background = 2

// phases returns the phases in the order of a review, and background ones last. internal/rawjson
// and internal/projection count for their callers.
func phases() []phase {
	return []phase{
		{"TLS and HTTP", []string{"crypto/", "net/http.", "net.", "internal/poll.", "host/serve/"}},
		{"reading the request", []string{"host/review.go", "host/object.go", "host.(*projectionIndex)"}},
		{"validating and routing", []string{"host/route.go", "host/routes.go", "host.(*conversion).cut", "runtime/set.go"}},
		{"cache", []string{"host/cache.go", "host/lookup.go"}},
		{"making the guest's input", []string{"host/projection.go", "host.(*object).guestView"}},
		{"entering the guest", []string{"runtime/module/", "github.com/tetratelabs/wazero"}},
		{"the guest", []string{"runtime._ExternalCode"}},
		{"reset", []string{"runtime/memory/", "runtime/module.(*instance).reset"}},
		{"checking the output", []string{"host/contract.go", "host/declared.go", "host/labels.go", "host/restore.go", "host/validator.go"}},
		{"writing the answer", []string{"host/answer.go", "host/content.go"}},
		{"the rest of a review", []string{"host/"}},
		{"garbage collection", []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart"}},
		{"timers and scheduling", []string{"runtime.", "time.", "context."}},
	}
}

// BenchmarkSplit splits the CPU time of one review into its phases, by a CPU profile. Each column
// is a way to convert one object of 3.8 KB; the last line is the time of the whole process, from
// the kernel. It prints a table: "make bench-split". A phase below 5 % is inexact.
//
// Its own iterations mean nothing: run it with -benchtime 1x.
func BenchmarkSplit(b *testing.B) {
	dir, names := languages(b)
	body, err := workload{usual, 1}.review()
	if err != nil {
		b.Fatal(err)
	}
	var columns []column
	split := slices.DeleteFunc([]string{"c", "go", "javascript"}, func(language string) bool { return !slices.Contains(names, language) })
	for _, language := range split {
		columns = append(columns, profiled(b, ofModule(b, dir, language), body), profiled(b, ofGateway(b, dir, language, true, nil), body))
	}
	for _, language := range split {
		columns = append(columns, overTLS(b, language, newConverter(b, dir, language, false, nil), body))
	}
	if len(names) > 0 {
		columns = append(columns, profiled(b, ofGateway(b, dir, names[0], false, host.NewCache(64<<20)), body),
			overTLS(b, cachedName, newConverter(b, dir, names[0], false, host.NewCache(64<<20)), body))
	}
	for _, c := range columns {
		b.Run(c.name, func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(c.total, "cpu-µs/review")
			for i, p := range phases() {
				b.ReportMetric(100*c.shares[i], "%"+strings.ReplaceAll(p.name, " ", "-"))
			}
		})
	}
	fmt.Print("\n", splitTable(columns), "\n")
}

// column is one way to convert an object.
type column struct {
	name   string
	total  float64   // µs of CPU a review
	shares []float64 // of the total, by phase
}

// profiled runs a system for splitTime on one processor.
func profiled(b *testing.B, s system, body []byte) column {
	b.Helper()
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	reviewsInTurn(b, s, body) // warm
	return profileOf(b, s.name, func() (reviews int) {
		for began := time.Now(); time.Since(began) < splitTime; reviews++ {
			if _, err := s.review(body); err != nil {
				b.Fatalf("%s: %v", s.name, err)
			}
		}
		return reviews
	})
}

// profileOf profiles one run, which returns its number of reviews.
func profileOf(b *testing.B, name string, run func() (reviews int)) column {
	b.Helper()
	var text bytes.Buffer
	if err := pprof.StartCPUProfile(&text); err != nil {
		b.Fatal(err)
	}
	cpu := processTime(b)
	reviews := run()
	cpu = processTime(b) - cpu
	pprof.StopCPUProfile()
	found, err := profile.Parse(&text)
	if err != nil {
		b.Fatal(err)
	}
	return column{name, float64(cpu) / 1e3 / float64(reviews), shares(found)}
}

// shares returns the part of a profile's samples that each phase has.
func shares(p *profile.Profile) []float64 {
	list := phases()
	counts, all := make([]float64, len(list)), 0.0
	for _, s := range p.Sample {
		n := float64(s.Value[0])
		all += n
		if i := phaseOf(s, list); i >= 0 {
			counts[i] += n
		}
	}
	for i := range counts {
		counts[i] /= max(all, 1)
	}
	return counts
}

// phaseOf returns the index of a sample's phase; -1 for none.
func phaseOf(s *profile.Sample, list []phase) int {
	behind := -1
	for _, location := range s.Location { // from the innermost function
		for _, line := range location.Line {
			i := phaseWith(line.Function, list)
			if i >= 0 && i < len(list)-background {
				return i
			}
			if i >= 0 && (behind < 0 || i < behind) {
				behind = i
			}
		}
	}
	return behind
}

// phaseWith returns the phase with the longest text that matches a function.
func phaseWith(f *profile.Function, list []phase) int {
	const project = "github.com/crosswalk-gateway/crosswalk/"
	name, ours := strings.CutPrefix(f.Name, project)
	file := ""
	if ours {
		directory, _, _ := strings.Cut(name, ".")
		file = directory + "/" + filepath.Base(f.Filename)
	}
	found, length := -1, 0
	for i, p := range list {
		for _, text := range p.in {
			if (strings.HasPrefix(name, text) || ours && strings.HasPrefix(file, text)) && len(text) > length {
				found, length = i, len(text)
			}
		}
	}
	return found
}

// splitTable returns the table, as Markdown, with the time of each phase in µs.
func splitTable(columns []column) string {
	var t strings.Builder
	t.WriteString("| phase |")
	for _, c := range columns {
		fmt.Fprintf(&t, " %s |", c.name)
	}
	t.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	rest := make([]float64, len(columns))
	for i, p := range phases() {
		fmt.Fprintf(&t, "| %s |", p.name)
		for j, c := range columns {
			rest[j] += c.shares[i]
			fmt.Fprintf(&t, " %.1f |", c.shares[i]*c.total)
		}
		t.WriteString("\n")
	}
	t.WriteString("| not attributed |")
	for j, c := range columns {
		fmt.Fprintf(&t, " %.1f |", max(0, 1-rest[j])*c.total)
	}
	t.WriteString("\n| **CPU µs a review** |")
	for _, c := range columns {
		fmt.Fprintf(&t, " **%.1f** |", c.total)
	}
	t.WriteString("\n")
	return t.String()
}
