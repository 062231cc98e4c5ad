package main

import (
	"slices"
	"strings"
)

// workload is the size of the objects of a review and their number, as in the names of benchmarks.
type workload struct{ object, batch string }

// reviewed returns the workloads of BenchmarkReview.
func (r *results) reviewed() (all []workload) {
	const name = "BenchmarkReview"
	for _, object := range r.values(name, "object") {
		for _, batch := range r.values(name, "batch") {
			if _, ok := r.find("cpu-µs/object", name, "object", object, "batch", batch); ok {
				all = append(all, workload{object, batch})
			}
		}
	}
	return all
}

// review returns a function that finds a metric of BenchmarkReview for a module whose name there
// ends in a suffix.
func (r *results) review(unit, object, batch, suffix string) func(string) (float64, bool) {
	return func(language string) (float64, bool) {
		return r.find(unit, "BenchmarkReview", "object", object, "batch", batch, "system", language+suffix)
	}
}

// reviews returns a table of BenchmarkReview: a metric of some systems, with a column for each
// workload.
func (r *results) reviews(unit, suffix string, workloads []workload, systems ...string) grid {
	g := grid{{"module"}}
	for _, w := range workloads {
		g[0] = append(g[0], size(w.object)+" × "+count(w.batch))
	}
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
	return r.reviews("x-B1", "×", r.reviewed(), slices.Concat([]string{"B2"}, r.languages(), r.adapters(), []string{"cached"})...)
}

// declaredRatios returns the same table for modules that declare their fields.
func (r *results) declaredRatios() grid {
	g := r.reviews("x-B1", "×", r.reviewed(), projected(slices.Concat(r.languages(), r.adapters()))...)
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
	return r.reviews("cpu-µs/object", "", r.reviewed(), append(systems, "cached")...)
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

// aboveEcho returns the table of BenchmarkTLS for objects of one size: what the servers take, divided
// by what the server takes that converts nothing.
func (r *results) aboveEcho(object string) grid {
	g := grid{{"server", "CPU ÷ echo", "time ÷ echo", "the same, 32 clients"}}
	for _, server := range []string{"c", "rust", "rules", "go", "javascript", "cached"} {
		row := []string{title(server)}
		for _, unit := range []string{"x-echo", "x-echo-wall", "x-echo-wall-of-32"} {
			value, ok := r.find(unit, "BenchmarkTLS", "object", object, "server", server)
			if !ok {
				return nil
			}
			row = append(row, number(value))
		}
		g = append(g, row)
	}
	return g
}

// serverTimes returns the table of BenchmarkTLS: the CPU time of the servers.
func (r *results) serverTimes() grid {
	return r.servers([]string{"server-µs/request", "x-B1"}, []string{"µs", "B1 ÷"})
}
