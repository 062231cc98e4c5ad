package main

import (
	"slices"
	"strings"
)

// workload is the size of the objects of a review and their number, as in the names of benchmarks.
type workload struct{ object, batch string }

// reviewed returns the workloads of BenchmarkReview, and a table heading for each.
func (r *results) reviewed() (all []workload, headings []string) {
	const name = "BenchmarkReview"
	for _, object := range r.values(name, "object") {
		for _, batch := range r.values(name, "batch") {
			if _, ok := r.find("cpu-µs/object", name, "object", object, "batch", batch); ok {
				all, headings = append(all, workload{object, batch}), append(headings, size(object)+" × "+count(batch))
			}
		}
	}
	return all, headings
}

// reviews returns a table of BenchmarkReview: a metric of some systems, with a column for each
// workload.
func (r *results) reviews(unit, suffix string, systems ...string) grid {
	workloads, headings := r.reviewed()
	g := grid{append([]string{"module"}, headings...)}
	for _, system := range systems {
		row, measured := []string{title(system)}, false
		for _, w := range workloads {
			cell := "–"
			if value, ok := r.find(unit, "BenchmarkReview", "object", w.object, "batch", w.batch, "system", system); ok {
				cell, measured = number(value)+suffix, true
			}
			row = append(row, cell)
		}
		if measured {
			g = append(g, row)
		}
	}
	return g
}

// wholeRatios returns the table of B1's CPU time divided by that of modules that see whole objects,
// of B2 and of cached answers.
func (r *results) wholeRatios() grid {
	return r.reviews("x-B1", "×", slices.Concat([]string{"B2"}, r.languages(), r.adapters(), []string{"cached"})...)
}

// declaredRatios returns the same table for modules that declare their fields.
func (r *results) declaredRatios() grid {
	g := r.reviews("x-B1", "×", projected(slices.Concat(r.languages(), r.adapters()))...)
	for _, row := range g[1:] {
		row[0] = strings.TrimSuffix(row[0], declaredTitle)
	}
	return g
}

// times returns the table of the CPU time for an object in µs, of all systems.
func (r *results) times() grid {
	systems := []string{"B1", "B2"}
	for _, l := range slices.Concat(r.languages(), r.adapters()) {
		systems = append(systems, l, l+projectedSuffix)
	}
	return r.reviews("cpu-µs/object", "", append(systems, "cached")...)
}

// projected returns the names of the languages' modules that declare their fields.
func projected(languages []string) []string {
	all := slices.Clone(languages)
	for i := range all {
		all[i] += projectedSuffix
	}
	return all
}

// servers returns a table of BenchmarkTLS: for each size of objects some metrics under their
// titles. The first metric is the absolute one.
func (r *results) servers(units, titles []string) grid {
	const name = "BenchmarkTLS"
	g := grid{{"server"}}
	objects := r.values(name, "object")
	for _, object := range objects {
		g[0] = append(g[0], size(object)+", "+titles[0])
		g[0] = append(g[0], titles[1:]...)
	}
	for _, server := range r.values(name, "server") {
		row := []string{title(server)}
		for _, object := range objects {
			for _, unit := range units {
				cell := "–"
				if value, ok := r.find(unit, name, "object", object, "server", server); ok {
					cell = number(value)
				}
				row = append(row, cell)
			}
		}
		g = append(g, row)
	}
	return g
}

// serverTimes returns the table of the CPU time of the servers of BenchmarkTLS.
func (r *results) serverTimes() grid {
	return r.servers([]string{"server-µs/request", "x-B1", "x-echo"}, []string{"µs", "B1 ÷", "÷ echo"})
}

// walls returns the table of the time that their clients wait.
func (r *results) walls() grid {
	return r.servers([]string{"wall-µs/request", "x-B1-wall"}, []string{"µs", "B1 ÷"})
}
