package main

import (
	"fmt"
	"strings"
)

// targetsPage returns docs/performance-targets.md, the page for developers.
func (r *results) targetsPage() string {
	var b strings.Builder
	targets, notes := r.targets(true)
	fmt.Fprintf(&b, generated+`# Performance targets

The project set each of these targets before it measured the figure. This page lists them with the figures of the last full run, for developers of the
gateway. [performance.md](performance.md) defines the systems B1, B2 and echo, and describes the method.

%s

**In this run %s.** Missed targets are in bold. The numbers in the last column refer to the list below the table.

%s
Each limit is the largest share of CPU profiles of the same workload. The percentages come from other runs.

%s
`, r.machine(), r.reached(), targets.markdown(false), numbered(notes))
	if limit, ok := r.find("limit-µs/object", "BenchmarkLimit"); ok {
		fmt.Fprintf(&b, `The *limit* in the targets is %s µs for an object of 3.8 KB. It is the work that no sandboxed converter can avoid: two strict passes of the
gateway's JSON scanner, one over the request and one over the answer, and the copies into and out of the sandbox. It excludes the
conversion itself and the checks of the contract.

`, number(limit))
	}
	if cores := r.cores(); len(cores) > 1 {
		fmt.Fprintf(&b, `## Two cores

Wall time of one review of 10,000 objects of 0.9 KB, the fastest of the rounds. Other work on the machine may occupy the second core, so the
figures are lower bounds. *Arithmetic* is the speedup of two independent goroutines that only calculate, measured in the same rounds. If
it is below %g, the machine had no second core to use, and the target counts as not measured.

%s`, coresAim, cores.markdown(true))
	}
	return b.String()
}

// cores returns the table of BenchmarkCores.
func (r *results) cores() grid {
	const name = "BenchmarkCores"
	g := grid{{"module", "one core, ms", "two cores, ms", "one ÷ two", "arithmetic"}}
	for _, system := range r.values(name, "system") {
		row := []string{title(system)}
		for _, unit := range []string{"one-core-ms", "two-cores-ms", "x-one-core", "x-arithmetic"} {
			cell := "–"
			if value, ok := r.find(unit, name, "system", system); ok {
				cell = number(value)
			}
			row = append(row, cell)
		}
		g = append(g, row)
	}
	return g
}
