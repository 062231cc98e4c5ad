package main

// modules returns the table of BenchmarkLoad and BenchmarkFootprint: the CPU time to load the
// converter of each language, and its memory.
func (r *results) modules() grid {
	g := grid{{"module", "vetting, ms", "rewriting, ms", "compiling, ms", "first instance, ms", "further instance, µs", "module, KiB", "its image, KiB", "an instance, KiB"}}
	for _, language := range r.values("BenchmarkLoad", "language") {
		row := []string{title(language)}
		for _, cell := range []struct{ unit, name string }{
			{"vet-ms", "BenchmarkLoad"}, {"rewrite-ms", "BenchmarkLoad"}, {"compile-ms", "BenchmarkLoad"}, {"first-ms", "BenchmarkLoad"}, {"further-µs", "BenchmarkLoad"},
			{"module-KiB", "BenchmarkFootprint"}, {"image-KiB", "BenchmarkFootprint"}, {"instance-KiB", "BenchmarkFootprint"},
		} {
			text := "–"
			if v, ok := r.find(cell.unit, cell.name, "language", language); ok {
				text = number(v)
			}
			row = append(row, text)
		}
		g = append(g, row)
	}
	return g
}
