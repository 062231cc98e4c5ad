package main

// cores returns the table of BenchmarkCores: the wall time of one large review on one and on two
// processors.
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
