package main

// first returns the table of BenchmarkFirst: the start of a server, and its memory at rest.
func (r *results) first() grid {
	const name = "BenchmarkFirst"
	g := grid{{"server", "first conversion after, ms", "CPU until then, ms", "at rest, MiB"}}
	for _, server := range r.values(name, "server") {
		for _, start := range []string{"first", "cached"} {
			row, measured := []string{title(server)}, false
			if start == "cached" {
				row[0] += ", started again"
			}
			for _, unit := range []string{"first-ms", "first-cpu-ms", "rest-MiB"} {
				value, ok := r.find(unit, name, "server", server, "start", start)
				row, measured = append(row, number(value)), measured || ok
			}
			if measured {
				g = append(g, row)
			}
		}
	}
	return g
}
